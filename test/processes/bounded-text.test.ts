import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedText } from "../../src/processes/child.ts";

const encode = (text: string) => new TextEncoder().encode(text);

test("however the pipe cuts it into chunks, the text is the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.nat(40)), (text, cuts) => {
      const bytes = encode(text);
      const output = boundedText(bytes.length);
      let from = 0;
      for (const cut of [...cuts, bytes.length]) {
        output.add(bytes.subarray(from, from + cut));
        from += cut;
      }
      expect(output.take()).toBe(text);
      expect(output.truncated).toBe(false);
    }),
    { seed: 1 },
  );
});

test("a limit never cuts through a character and never lets more bytes pass", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.nat(30), (text, limit) => {
      const output = boundedText(limit);
      output.add(encode(text));
      const kept = output.take();
      expect(text.startsWith(kept)).toBe(true);
      expect(encode(kept).length).toBeLessThanOrEqual(limit);
      expect(limit - encode(kept).length < 4 || kept === text).toBe(true);
      expect(output.truncated).toBe(encode(text).length > limit);
    }),
    { seed: 2 },
  );
});

test("invalid UTF-8 becomes U+FFFD, also at the end", () => {
  const output = boundedText(100);
  output.add(Uint8Array.of(0x61, 0xff, 0x62, 0xe2, 0x82));
  expect(output.take()).toBe("a\ufffdb\ufffd");
});
