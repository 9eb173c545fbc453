import { expect, test } from "vitest";
import { tail } from "../../src/processes/file-output.ts";

function growing() {
  let bytes = Buffer.alloc(0);
  return {
    write(text: string | Uint8Array) {
      bytes = Buffer.concat([bytes, Buffer.from(text)]);
    },
    get size() {
      return bytes.length;
    },
    read: (into: Uint8Array, position: number) => bytes.copy(into, 0, position, position + into.length),
  };
}

test("whole lines only, a character that came in two parts included", async () => {
  const file = growing();
  const lines = tail(file.read, 0, []);
  const euro = Buffer.from("a€b\nc");
  file.write(euro.subarray(0, 2));
  expect(await lines.next(file.size, false)).toEqual({ lines: [], more: false });
  file.write(euro.subarray(2));
  expect(await lines.next(file.size, false)).toEqual({ lines: ["a€b"], more: false });
  expect(await lines.next(file.size, true)).toEqual({ lines: ["c"], more: false });
});

test("reports many lines in part, and only the start of long ones", async () => {
  const file = growing();
  const lines = tail(file.read, 0, []);
  file.write("x\n".repeat(500));
  const many = await lines.next(file.size, false);
  expect(many).toEqual({ lines: Array.from({ length: 100 }, () => "x"), more: true });
  file.write(`${"y".repeat(50_000)}\nz\n`);
  const long = await lines.next(file.size, false);
  expect(long.lines.map(({ length }) => length)).toEqual([1_000, 1]);
});

test("what it cannot keep up with is passed over, and said", async () => {
  const file = growing();
  const lines = tail(file.read, 0, []);
  file.write("old\n".repeat(500_000));
  file.write("new\n");
  const { lines: seen, more } = await lines.next(file.size, false);
  expect(more).toBe(true);
  expect(seen.length).toBeLessThanOrEqual(100);
  expect(lines.position).toBe(file.size);
});

test("a line without an end does not grow without end", async () => {
  const file = growing();
  const lines = tail(file.read, 0, []);
  for (let at = 0; at < 50; at++) {
    file.write("x".repeat(10_000));
    await lines.next(file.size, false);
  }
  file.write("\n");
  expect((await lines.next(file.size, false)).lines[0]?.length).toBe(1_000);
});

test("a file that became shorter is no fault", async () => {
  const file = growing();
  const lines = tail(file.read, 0, []);
  expect(await lines.next(100, true)).toEqual({ lines: [], more: false });
});
