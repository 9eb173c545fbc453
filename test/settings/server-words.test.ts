import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/lib/json.ts";
import { serverWords } from "../../src/settings/server-words.ts";

test.each([
  [
    { command: "npx", args: ["-y", "db server"], env: { PORT: "1", A: "b c" } },
    "PORT=1 A='b c' npx -y 'db server'",
  ],
  [
    { type: "http", url: "https://example.org/mcp", headers: { "X-Key": "a b" } },
    `https://example.org/mcp -H 'X-Key: a b' {"type":"http"}`,
  ],
  [{ command: "", args: [] }, "''"],
  [{ command: ["a"], args: "b" }, '{"args":"b","command":["a"]}'],
  [{ command: "a", env: { A: 1 }, timeout: 5 }, 'a {"env":{"A":1},"timeout":5}'],
  [{ command: "A=1", url: "b" }, `'A=1' {"url":"b"}`],
  ["odd", '"odd"'],
])("what the entry of a server starts is shown as one would type it: %j", (entry, words) => {
  expect(serverWords(entry)).toBe(words);
});

test("nothing of an entry is hidden: other values are shown in other words", () => {
  const text = fc.string({ maxLength: 4 });
  const entry = fc.record(
    {
      command: text,
      args: fc.array(text, { maxLength: 2, minLength: 1 }),
      env: fc.dictionary(text, text, { maxKeys: 1, minKeys: 1 }),
      url: text,
      headers: fc.dictionary(text, text, { maxKeys: 1, minKeys: 1 }),
      timeout: fc.nat(9),
    },
    { requiredKeys: ["command"] },
  );
  fc.assert(
    fc.property(entry, text, (one, other) => {
      const all: unknown[] = [one];
      for (const key of ["command", "url"] as const)
        if (one[key] !== undefined && one[key] !== other) all.push({ ...one, [key]: other });
      if (one.args !== undefined && one.args[0] !== other)
        all.push({ ...one, args: [other, ...one.args.slice(1)] });
      expect(new Set(all.map(serverWords)).size, canonicalJson(all)).toBe(all.length);
    }),
    { seed: 20261130, numRuns: 500 },
  );
});
