import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ActorId } from "../../src/mailbox/ids.ts";
import { workbenches } from "./workbench.ts";

const workbench = workbenches();

test("a new file, with the directorys above it, byte for byte (A3.2, A8.5)", async () => {
  const bench = workbench();
  const file_path = bench.path("new/deep/a.txt");
  for (const content of ["", "x", "one\r\ntwo\n\u0000\ufeff😀", "no end"]) {
    const path = `${file_path}${content.length}`;
    expect(await bench.text("Write", { file_path: path, content })).toContain("was created");
    expect(readFileSync(path, "utf8")).toBe(content);
  }
  expect(statSync(`${file_path}0`).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(readdirSync(bench.path("new/deep"))).toHaveLength(4);
});

test("a file that is there is overwritten, also unread; mode and CRLF stay (A8.5, A8.6, A22.10)", async () => {
  const bench = workbench({ a: "old old old\r\nold\r\n" });
  chmodSync(bench.path("a"), 0o604);
  const text = await bench.text("Write", { file_path: bench.path("a"), content: "new\nlines\n" });
  expect(text).toBe(`${bench.path("a")} was overwritten: 2 lines. Its line ends are CRLF, as before.`);
  expect(readFileSync(bench.path("a"), "utf8")).toBe("new\r\nlines\r\n");
  expect(statSync(bench.path("a")).mode & 0o777).toBe(0o604);
  await bench.text("Write", { file_path: bench.path("a"), content: "one line" });
  expect(readFileSync(bench.path("a"), "utf8")).toBe("one line");
});

test("what was written counts as seen", async () => {
  const bench = workbench();
  const file_path = bench.path("a");
  await bench.text("Write", { file_path, content: "one" });
  await bench.text("Edit", { file_path, old_string: "one", new_string: "two" });
  expect(readFileSync(file_path, "utf8")).toBe("two");
});

test("where a person has set it, a file that is there is overwritten only once it was read as it is (A22.10)", async () => {
  const bench = workbench({ a: "one" });
  const file_path = bench.path("a");
  const fileRules = { edit: "strict", write: "read-first" } as const;
  const write = (content: string) => [{ file_path, content }, { fileRules }] as const;
  expect(await bench.failure("Write", ...write("two"))).toContain(
    "you have not read it. Read it, then write",
  );
  await bench.text("Read", { file_path });
  bench.write({ a: "other" });
  expect(await bench.failure("Write", ...write("two"))).toContain("was changed since you read it");
  await bench.text("Read", { file_path });
  await bench.text("Write", ...write("two"));
  await bench.text("Write", ...write("three"));
  await bench.text("Write", { file_path: bench.path("new"), content: "x" }, { fileRules });
  expect(readFileSync(file_path, "utf8")).toBe("three");
});

test("another agent's work is not overwritten unseen; once it was read, it may be (A22.9)", async () => {
  const bench = workbench({ a: "theirs" });
  const file_path = bench.path("a");
  const lastWriters = [{ path: file_path, actor: ActorId.parse("w0rker"), description: "write the report" }];
  const failure = await bench.failure("Write", { file_path, content: "mine" }, { lastWriters });
  expect(failure).toContain('written by another agent (w0rker, "write the report")');
  expect(readFileSync(file_path, "utf8")).toBe("theirs");
  await bench.text("Read", { file_path });
  await bench.text("Write", { file_path, content: "both" }, { lastWriters });
  expect(readFileSync(file_path, "utf8")).toBe("both");
});

describe("bad input", () => {
  test("a path that is not absolute (A8.8)", async () => {
    const bench = workbench();
    const failure = await bench.failure("Write", { file_path: "a", content: "x" });
    expect(failure).toContain("must be absolute");
    expect(failure).toContain(`You probably mean ${bench.path("a")}.`);
  });

  test("a folder, a pipe, a device, a file as a folder, a circle, a link to nothing, names no system has", async () => {
    const bench = workbench({ "sub/a": "x" });
    execFileSync("mkfifo", [bench.path("pipe")]);
    symlinkSync(bench.path("round"), bench.path("about"));
    symlinkSync(bench.path("about"), bench.path("round"));
    symlinkSync(bench.path("nothing"), bench.path("dangling"));
    const cases: [string, string][] = [
      [bench.path("sub"), "is a directory"],
      [bench.path("pipe"), "named pipe"],
      ["/dev/full", "device"],
      [bench.path("sub/a/b"), "is a file, not a directory"],
      [bench.path("round"), "leads nowhere"],
      [bench.path("dangling"), "leads nowhere"],
      [bench.path("dangling/new/a"), "leads nowhere"],
      [bench.path("n".repeat(300)), "too long"],
      ["/a\0b", "was not written"],
    ];
    for (const [file_path, words] of cases)
      expect(await bench.failure("Write", { file_path, content: "x" })).toContain(words);
    expect(readFileSync(bench.path("sub/a"), "utf8")).toBe("x");
    expect(existsSync(bench.path("nothing"))).toBe(false);
  });

  test("a read-only directory", async () => {
    const bench = workbench();
    const failure = await bench.failure("Write", { file_path: "/proc/troupe/a", content: "x" });
    expect(failure).toMatch(/was not written: /);
  });

  test("a link that leads out of the workspace, to a file or through a folder (fault 48)", async () => {
    const bench = workbench({ "outside/a": "x" });
    mkdirSync(bench.path("work"));
    symlinkSync(bench.path("outside"), bench.path("work/folder"));
    symlinkSync(bench.path("outside/a"), bench.path("work/file"));
    const root = bench.path("work");
    for (const name of ["folder/a", "folder/new/b", "file"]) {
      const input = { file_path: bench.path("work", name), content: "y" };
      expect(await bench.failure("Write", input, { root })).toContain("leads out of the workspace");
    }
    expect(readFileSync(bench.path("outside/a"), "utf8")).toBe("x");
    expect(readdirSync(bench.path("outside"))).toEqual(["a"]);
  });

  test("lone surrogates become the replacement character", async () => {
    const bench = workbench();
    await bench.text("Write", { file_path: bench.path("a"), content: "a\ud800b" });
    expect(readFileSync(bench.path("a"), "utf8")).toBe("a\ufffdb");
  });
});
