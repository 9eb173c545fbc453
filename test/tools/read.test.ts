import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { workbenches } from "./workbench.ts";

const workbench = workbenches();
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);
const numbered = (from: number, to: number) =>
  lines(from, to)
    .map((line, at) => `${from + at}\t${line}`)
    .join("\n");

test("each line is its number, a tab and its text, from 1, nothing padded (A8.1, A22.12)", async () => {
  const bench = workbench({ "a.ts": `${"\n".repeat(41)}foo()\n` });
  const text = await bench.text("Read", { file_path: bench.path("a.ts") });
  expect(text.split("\n")[41]).toBe("42\tfoo()");
  expect(text.split("\n")[0]).toBe("1\t");
  expect(text.split("\n")).toHaveLength(42);
});

test("2000 lines, a notice, and the rest from the offset it names (A8.2)", async () => {
  const bench = workbench({ long: `${lines(1, 3000).join("\n")}\n` });
  const file_path = bench.path("long");
  const first = await bench.text("Read", { file_path });
  expect(first).toBe(
    `${numbered(1, 2000)}\n\n[Lines 1 to 2000; the file has 3000. Continue with offset: 2001.]`,
  );
  expect(await bench.text("Read", { file_path, offset: 2001 })).toBe(numbered(2001, 3000));
});

test("offset and limit take a part; what is past the end is said with the number of lines (A8.2)", async () => {
  const bench = workbench({ long: lines(1, 30).join("\n") });
  const file_path = bench.path("long");
  expect(await bench.text("Read", { file_path, offset: 10, limit: 2 })).toBe(
    `${numbered(10, 11)}\n\n[Lines 10 to 11; the file has 30. Continue with offset: 12.]`,
  );
  expect(await bench.text("Read", { file_path, offset: 0, limit: 30 })).toBe(numbered(1, 30));
  expect(await bench.failure("Read", { file_path, offset: 31 })).toBe(
    `Line 31 is past the end: ${file_path} has 30 lines.`,
  );
  expect(await bench.failure("Read", { file_path, offset: -1 })).toContain("offset");
  expect(await bench.failure("Read", { file_path, limit: 0 })).toContain("limit");
});

test("a path must be absolute, and the message says which one was probably meant (A8.8)", async () => {
  const bench = workbench({ "a.ts": "x" });
  const relative = await bench.failure("Read", { file_path: "./a.ts" });
  expect(relative).toContain("must be absolute");
  expect(relative).toContain(`You probably mean ${bench.path("a.ts")}.`);
  expect(await bench.failure("Read", { file_path: "~/a.ts" })).toContain("~ is not expanded");
});

describe("what is not a text file is named as what it is", () => {
  test("a missing file, with similar names of its folder", async () => {
    const bench = workbench({ "src/loop.ts": "", "src/unrelated-thing.ts": "" });
    const missing = await bench.failure("Read", { file_path: bench.path("src/lop.ts") });
    expect(missing).toBe(
      `${bench.path("src/lop.ts")} does not exist. Did you mean ${bench.path("src/loop.ts")}?`,
    );
    expect(await bench.failure("Read", { file_path: bench.path("src/Loop.js") })).toContain("loop.ts?");
  });

  test("a missing folder, with the nearest that exists", async () => {
    const bench = workbench({ "src/loop.ts": "" });
    const missing = await bench.failure("Read", { file_path: bench.path("src/no/such/x.ts") });
    expect(missing).toContain(`The nearest directory that exists is ${bench.path("src")}`);
    expect(await bench.failure("Read", { file_path: bench.path("src/loop.ts/x") })).toContain("is a file");
  });

  test("a folder", async () => {
    const bench = workbench({ "src/loop.ts": "" });
    const folder = await bench.failure("Read", { file_path: bench.path("src") });
    expect(folder).toContain("is a directory");
    expect(folder).toContain("Glob");
  });

  test("an empty file is no failure", async () => {
    const bench = workbench({ empty: "" });
    expect(await bench.text("Read", { file_path: bench.path("empty") })).toBe(
      `[${bench.path("empty")} is empty.]`,
    );
    expect(await bench.text("Read", { file_path: bench.path("empty"), offset: 9 })).toContain("is empty");
  });

  test("a binary file, and text in UTF-16", async () => {
    const bench = workbench({
      program: Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 1, 2),
      wide: Buffer.from("\ufeffhello", "utf16le"),
    });
    expect(await bench.failure("Read", { file_path: bench.path("program") })).toContain("binary");
    expect(await bench.failure("Read", { file_path: bench.path("wide") })).toContain("UTF-16");
  });

  test("pages of what has none", async () => {
    const bench = workbench({ "a.txt": "x" });
    const failure = await bench.failure("Read", { file_path: bench.path("a.txt"), pages: "1-5" });
    expect(failure).toContain("use offset and limit");
  });

  test("a pipe and a device, without waiting for anybody to write", async () => {
    const bench = workbench();
    execFileSync("mkfifo", [bench.path("pipe")]);
    expect(await bench.failure("Read", { file_path: bench.path("pipe") })).toContain("is a named pipe");
    symlinkSync("/dev/zero", bench.path("zero"));
    expect(await bench.failure("Read", { file_path: bench.path("zero") })).toContain("is a device");
  });

  test("a circle of links, and a name no system has", async () => {
    const bench = workbench();
    symlinkSync(bench.path("b"), bench.path("a"));
    symlinkSync(bench.path("a"), bench.path("b"));
    expect(await bench.failure("Read", { file_path: bench.path("a") })).toContain("circle");
    expect(await bench.failure("Read", { file_path: bench.path("x".repeat(300)) })).toContain("too long");
    expect(await bench.failure("Read", { file_path: "/a\0b" })).toContain("cannot be read");
  });
});

describe("whatever the bytes", () => {
  test("no carriage return and no byte order mark is shown, and the last line needs no end", async () => {
    const bench = workbench({ dos: "\ufeffone\r\ntwo\r\nthr\ree" });
    expect(await bench.text("Read", { file_path: bench.path("dos") })).toBe("1\tone\n2\ttwo\n3\tthr\ree");
  });

  test("invalid UTF-8 and a late NUL become visible signs", async () => {
    const late = Buffer.concat([Buffer.from("x\n".repeat(5000)), Buffer.from([0x61, 0xff, 0x00, 0x62])]);
    const bench = workbench({ late });
    const text = await bench.text("Read", { file_path: bench.path("late"), offset: 5001 });
    expect(text).toBe("5001\ta\ufffd\u2400b");
  });

  test("an encoded lone surrogate gives well-formed text", async () => {
    const bench = workbench({ odd: Uint8Array.of(0x61, 0xed, 0xa0, 0x80, 0x62) });
    const text = await bench.text("Read", { file_path: bench.path("odd") });
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/^1\ta\ufffd+b$/);
  });

  test("a long line is cut with a mark, never through a character", async () => {
    const bench = workbench({ wide: `${"x".repeat(1999)}😀tail\nshort\n${"😀".repeat(5000)}` });
    const [first, second, third] = (await bench.text("Read", { file_path: bench.path("wide") })).split("\n");
    expect(first).toBe(`1\t${"x".repeat(1999)} … [line cut after 2000 characters]`);
    expect(second).toBe("2\tshort");
    expect(third).toBe(`3\t${"😀".repeat(1000)} … [line cut after 2000 characters]`);
  });

  test("a character that two chunks share is whole", async () => {
    const bench = workbench({ chunks: `${"x\n".repeat(32_767)}x€uro` });
    const text = await bench.text("Read", { file_path: bench.path("chunks"), offset: 32_768 });
    expect(text).toBe("32768\tx€uro");
  });

  test("many long lines stop before they fill the context, and can be continued", async () => {
    const bench = workbench({ big: `${"y".repeat(1_500)}\n`.repeat(1_000) });
    const text = await bench.text("Read", { file_path: bench.path("big") });
    expect(text.length).toBeLessThan(220_000);
    const [, last, next] =
      /Lines 1 to (\d+); the file has 1000. Continue with offset: (\d+)/.exec(text) ?? [];
    expect(Number(next)).toBe(Number(last) + 1);
    expect(text.split("\n")[Number(last) - 1]?.startsWith(`${last}\ty`)).toBe(true);
  });
});

test("reads and holds only the needed part of a huge file", async () => {
  const bench = workbench({ huge: `${lines(1, 5000).join("\n")}\n` });
  // A hole of 6 GB after the text: no bytes on the disk, and one line without an end.
  truncateSync(bench.path("huge"), 6 * 1024 ** 3);
  const before = process.memoryUsage().rss;
  const text = await bench.text("Read", { file_path: bench.path("huge"), offset: 4000, limit: 2 });
  expect(text).toBe(
    `${numbered(4000, 4001)}\n\n[Lines 4000 to 4001; the file is longer. Continue with offset: 4002.]`,
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
});

test("can be cancelled", async () => {
  const bench = workbench({ a: "x" });
  const signal = AbortSignal.abort(new Error("stop now"));
  await expect(bench.call("Read", { file_path: bench.path("a") }, { signal })).rejects.toThrow("stop now");
});

test("what was seen is in the ledger, under the real path, with a digest of the lines shown", async () => {
  const bench = workbench({ "real/a.txt": "one\ntwo\nthree\n" });
  mkdirSync(bench.path("other"));
  symlinkSync(bench.path("real"), bench.path("other/link"));
  await bench.text("Read", { file_path: bench.path("other/link/../link/a.txt"), offset: 2, limit: 1 });
  const path = realpathSync(bench.path("real/a.txt"));
  const { size, mtimeMs, ino } = statSync(path);
  const digest = createHash("sha256").update("two").digest("hex");
  const wholeDigest = createHash("sha256").update("one\ntwo\nthree\n").digest("hex");
  expect(bench.reads.get(path)).toEqual({
    path,
    size,
    mtimeMs,
    inode: ino,
    digest,
    lines: { from: 2, count: 1 },
    wholeDigest,
  });
  expect(bench.reads.takeFresh()).toHaveLength(1);
});

test("of a file over 1 MB only the lines shown are remembered by their digest", async () => {
  const bench = workbench({ big: "0123456789abcde\n".repeat(65_537) });
  await bench.text("Read", { file_path: bench.path("big"), limit: 3 });
  expect(bench.reads.get(bench.path("big"))).toMatchObject({ lines: { from: 1, count: 3 } });
  expect(bench.reads.get(bench.path("big"))).not.toHaveProperty("wholeDigest");
});

test("a path with .. after a link is read as the gate judged it, not as the system would (fault 48)", async () => {
  const bench = workbench({ "work/a.txt": "inside", "elsewhere/deep/x": "", "elsewhere/a.txt": "outside" });
  symlinkSync(bench.path("elsewhere/deep"), bench.path("work/link"));
  const text = await bench.text("Read", { file_path: `${bench.path("work")}/link/../a.txt` });
  expect(text).toBe("1\tinside");
});

test("what was not shown is not in the ledger", async () => {
  const bench = workbench({ a: "x", bin: Uint8Array.of(0) });
  await bench.failure("Read", { file_path: bench.path("a"), offset: 2 });
  await bench.failure("Read", { file_path: bench.path("bin") });
  expect(bench.reads.takeFresh()).toEqual([]);
});
