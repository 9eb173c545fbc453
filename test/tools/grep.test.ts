import { utimesSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RunResult } from "../../src/mailbox/runs.ts";
import { grepTool } from "../../src/tools/grep/grep.ts";
import { workbenches } from "./workbench.ts";

const workbench = workbenches();

const FILES = {
  "src/a.ts": "import x\nfunction Foo() {}\nconst y = 1\nfoo(1); foo(2)\nend\nlast\n",
  "src/b.js": "foo\n",
  "docs/read me.md": "The foo:12:bar of it\n",
};

test.each([
  [{ pattern: "a" }, "a"],
  [{ pattern: "a", path: "." }, "a"],
  [{ pattern: "a", path: "src" }, "a in src"],
  [{ pattern: "^", glob: "{README,Makefile}" }, "^ in {README,Makefile}"],
  [{ pattern: "a", path: "src", glob: "*.ts" }, "a in src, *.ts"],
])("a search of %j is shown with where it looks", (input, title) => {
  expect(grepTool.title(input)).toBe(title);
});

describe("modes (A10.3)", () => {
  test("paths by default, newest first, of the same time by name, relative to the working directory", async () => {
    const bench = workbench({ ...FILES, "src/c.js": "foo\n" });
    const times: [string, number][] = [
      ["src/a.ts", 100],
      ["src/b.js", 300],
      ["docs/read me.md", 200],
      ["src/c.js", 300],
    ];
    for (const [name, time] of times) utimesSync(bench.path(name), time, time);
    const text = await bench.text("Grep", { pattern: "foo" });
    expect(text).toBe("src/b.js\nsrc/c.js\ndocs/read me.md\nsrc/a.ts");
    expect(await bench.text("Grep", { pattern: "foo", output_mode: "files_with_matches" })).toBe(text);
  });

  test("content is path:line:text, in the order of paths", async () => {
    const bench = workbench(FILES);
    expect(await bench.text("Grep", { pattern: "foo", output_mode: "content" })).toBe(
      "docs/read me.md:1:The foo:12:bar of it\nsrc/a.ts:4:foo(1); foo(2)\nsrc/b.js:1:foo",
    );
  });

  test("count is path:count, with the sum", async () => {
    const bench = workbench(FILES);
    expect(await bench.text("Grep", { pattern: "foo|last", output_mode: "count" })).toBe(
      "docs/read me.md:1\nsrc/a.ts:2\nsrc/b.js:1\n\n[4 in 3 files.]",
    );
  });

  test("no match is no failure", async () => {
    for (const output_mode of ["content", "files_with_matches", "count"])
      expect(await workbench(FILES).text("Grep", { pattern: "zzz", output_mode })).toBe("No matches found");
  });
});

describe("flags (A10.5)", () => {
  const content = (bench: ReturnType<typeof workbench>, more: object) =>
    bench.text("Grep", { pattern: "foo", path: "src/a.ts", output_mode: "content", ...more });

  test("-i", async () => {
    expect(await content(workbench(FILES), { "-i": true })).toBe(
      "src/a.ts:2:function Foo() {}\nsrc/a.ts:4:foo(1); foo(2)",
    );
  });

  test("-n false", async () => {
    expect(await content(workbench(FILES), { "-n": false, "-A": 1 })).toBe(
      "src/a.ts:foo(1); foo(2)\nsrc/a.ts-end",
    );
  });

  test("-o, also counting every part", async () => {
    const bench = workbench(FILES);
    expect(await content(bench, { "-o": true })).toBe("src/a.ts:4:foo\nsrc/a.ts:4:foo");
    expect(await content(bench, { "-o": true, output_mode: "count" })).toBe("src/a.ts:2\n\n[2 in 1 file.]");
  });

  test("-A, -B, -C and context", async () => {
    const bench = workbench(FILES);
    const [before, match, after] = ["src/a.ts-3-const y = 1", "src/a.ts:4:foo(1); foo(2)", "src/a.ts-5-end"];
    expect(await content(bench, { "-A": 1 })).toBe([match, after].join("\n"));
    expect(await content(bench, { "-B": 1 })).toBe([before, match].join("\n"));
    expect(await content(bench, { "-C": 1 })).toBe([before, match, after].join("\n"));
    expect(await content(bench, { context: 1 })).toBe([before, match, after].join("\n"));
    expect(await content(bench, { context: 1, "-A": 0 })).toBe([before, match].join("\n"));
    expect(await content(bench, { pattern: "import|last", "-A": 1 })).toBe(
      "src/a.ts:1:import x\nsrc/a.ts-2-function Foo() {}\n--\nsrc/a.ts:6:last",
    );
  });

  test("type and glob, a list of globs, a glob with a folder from the path searched", async () => {
    const bench = workbench({ ...FILES, "src/sub/d.ts": "foo" });
    const files = async (more: object) =>
      (await bench.text("Grep", { pattern: "foo", ...more })).split("\n").sort();
    expect(await files({ type: "js" })).toEqual(["src/b.js"]);
    expect(await files({ glob: "*.{js,md}" })).toEqual(["docs/read me.md", "src/b.js"]);
    expect(await files({ glob: "*.js, *.md" })).toEqual(["docs/read me.md", "src/b.js"]);
    expect(await files({ glob: "!*.ts" })).toEqual(["docs/read me.md", "src/b.js"]);
    expect(await files({ glob: "sub/**", path: "src" })).toEqual(["src/sub/d.ts"]);
  });

  test("multiline lets a match go over lines, and . too", async () => {
    const bench = workbench(FILES);
    expect(await content(bench, { pattern: "const.*end", multiline: true })).toBe(
      "src/a.ts:3:const y = 1\nsrc/a.ts:4:foo(1); foo(2)\nsrc/a.ts:5:end",
    );
    expect(await content(bench, { pattern: "const.*end" })).toBe("No matches found");
  });

  test("a pattern that begins with a dash is a pattern", async () => {
    const bench = workbench({ a: "--files\n-e x\n" });
    expect(await bench.text("Grep", { pattern: "--files", output_mode: "content" })).toBe("a:1:--files");
    expect(await bench.text("Grep", { pattern: "-e", output_mode: "content" })).toBe("a:2:-e x");
  });
});

describe("lines and counts come in the order of paths, whichever thread of ripgrep found them first", () => {
  const names = ["b.ts", "a.ts", "a/z.ts", "a/b/c.ts", "a-b.ts", "A.ts", "é.ts", "a/b.ts"];
  const inOrder = ["A.ts", "a/b/c.ts", "a/b.ts", "a/z.ts", "a-b.ts", "a.ts", "b.ts", "é.ts"];
  const files = Object.fromEntries(names.map((name) => [name, "hit\nmore\nend\nend\nhit\n"]));

  test("folder by folder, with a line between what lies apart", async () => {
    const bench = workbench(files);
    const text = await bench.text("Grep", { pattern: "hit", output_mode: "content", "-A": 1 });
    const expected = inOrder.map((name) => `${name}:1:hit\n${name}-2-more\n--\n${name}:5:hit`);
    expect(text).toBe(expected.join("\n--\n"));
    const plain = await bench.text("Grep", { pattern: "more", output_mode: "content" });
    expect(plain).toBe(inOrder.map((name) => `${name}:2:more`).join("\n"));
    const counts = await bench.text("Grep", { pattern: "hit", output_mode: "count" });
    expect(counts.split("\n\n")[0]).toBe(inOrder.map((name) => `${name}:2`).join("\n"));
    expect(bench.runs).toHaveLength(3);
  });

  test("a result that is too long is searched again in that order, so that what is left out is the same", async () => {
    const long = `hit ${"x".repeat(400)}\n`.repeat(4_000);
    const bench = workbench(Object.fromEntries(names.map((name) => [name, long])));
    const input = { pattern: "hit", output_mode: "content", head_limit: 1 };
    expect(await bench.text("Grep", input)).toMatch(
      /^A\.ts:1:hit x+\n\n\[Showing 1 to 1 of more than \d+ lines/,
    );
    expect(bench.runs.map(({ args }) => args.includes("--sort=path"))).toEqual([false, true]);
    expect(new Set(bench.runs.map(({ id }) => id)).size).toBe(2);
  });
});

describe("head_limit and offset (A10.4)", () => {
  const bench = () => workbench({ many: Array.from({ length: 300 }, (_, at) => `hit ${at + 1}`).join("\n") });
  const rows = (text: string) => text.split("\n\n")[0]?.split("\n") ?? [];

  test("250 of 300, with the way on", async () => {
    const text = await bench().text("Grep", { pattern: "hit", output_mode: "content" });
    expect(rows(text)).toHaveLength(250);
    expect(text).toContain("[Showing 1 to 250 of 300 lines. Continue with offset: 250, or narrow");
  });

  test("0 is all, an offset skips", async () => {
    const all = await bench().text("Grep", { pattern: "hit", output_mode: "content", head_limit: 0 });
    expect(all.split("\n")).toHaveLength(300);
    const rest = await bench().text("Grep", { pattern: "hit", output_mode: "content", offset: 250 });
    expect(rest.split("\n")).toHaveLength(50);
    expect(rest.startsWith("many:251:hit 251")).toBe(true);
    const none = await bench().text("Grep", { pattern: "hit", output_mode: "content", offset: 300 });
    expect(none).toBe("Nothing from offset 300 on: there are 300 results in all.");
  });

  test("both count files where files are listed", async () => {
    const files = workbench({ a: "hit", b: "hit", c: "hit" });
    for (const name of ["a", "b", "c"]) utimesSync(files.path(name), 100, 100);
    const text = await files.text("Grep", { pattern: "hit", head_limit: 1, offset: 1 });
    expect(text).toMatch(/^b\n\n\[Showing 2 to 2 of 3 files\. Continue with offset: 2/);
    const counts = await files.text("Grep", { pattern: "hit", output_mode: "count", head_limit: 2 });
    expect(counts).toContain("a:1\nb:1\n\n[Showing 1 to 2 of 3 files.");
  });

  test.each([{ head_limit: -1 }, { offset: 1.5 }, { "-A": -2 }, { context: 1e300 }])(
    "%o is refused",
    async (more) => {
      const [name] = Object.keys(more);
      expect(await bench().failure("Grep", { pattern: "hit", ...more })).toContain(
        `${name} must be a whole number`,
      );
    },
  );
});

describe("what is searched (A10.6)", () => {
  test("not what git ignores, nor version control, but hidden files", async () => {
    const bench = workbench({
      ".gitignore": "dist/\n",
      "dist/x.js": "needle",
      ".git/config": "needle",
      ".hg/x": "needle",
      ".svn/x": "needle",
      "sub/.jj/x": "needle",
      ".env": "needle",
    });
    expect(await bench.text("Grep", { pattern: "needle" })).toBe(".env");
    // Not even with a glob that would fit.
    expect(await bench.text("Grep", { pattern: "needle", glob: "**/config" })).toBe("No matches found");
  });

  test("an ignored folder or file that is named", async () => {
    const bench = workbench({ ".gitignore": "dist/\n*.log\n", "dist/sub/x.js": "needle", "a.log": "needle" });
    expect(await bench.text("Grep", { pattern: "needle", path: "dist/sub" })).toBe("dist/sub/x.js");
    expect(await bench.text("Grep", { pattern: "needle", path: bench.path("a.log") })).toBe("a.log");
  });

  test("all of a worktree in an ignored directory: what is ignored above a repository does not count", async () => {
    const bench = workbench({
      ".git/HEAD": "",
      ".claude/worktrees/.gitignore": "*\n",
      ".claude/worktrees/one/.git": "gitdir: elsewhere\n",
      ".claude/worktrees/one/.gitignore": "dist/\n",
      ".claude/worktrees/one/dist/x": "needle",
      ".claude/worktrees/one/src/a": "needle",
    });
    const one = bench.path(".claude/worktrees/one");
    expect(await bench.text("Grep", { pattern: "needle" }, { cwd: one })).toBe("src/a");
    expect(await bench.text("Grep", { pattern: "needle", path: "src" }, { cwd: one })).toBe("src/a");
    expect(await bench.text("Glob", { pattern: "**/*" }, { cwd: one })).not.toContain("dist");
    expect(await bench.text("Glob", { pattern: "src/*" }, { cwd: one })).toContain("src/a");
    // And none of it from the checkout.
    expect(await bench.text("Grep", { pattern: "needle" })).toBe("No matches found");
  });

  test("outside the working directory, paths are absolute", async () => {
    const bench = workbench({ "in/x": "", "out/y": "needle" });
    expect(await bench.text("Grep", { pattern: "needle", path: "../out" }, { cwd: bench.path("in") })).toBe(
      bench.path("out/y"),
    );
  });

  test("no settings of the machine are heeded", async () => {
    const bench = workbench({ rc: "--max-count=1\n", a: "needle\nneedle\n" });
    const run = bench.runWith({ RIPGREP_CONFIG_PATH: bench.path("rc") });
    const text = await bench.text("Grep", { pattern: "needle", path: "a", output_mode: "count" }, { run });
    expect(text).toContain("a:2");
  });
});

describe("odd contents", () => {
  test("names with colons, newlines and dashes, CRLF, invalid UTF-8, binary and very long lines", async () => {
    const bench = workbench({
      "a:3:b.txt": "needle\r\n",
      "-dash": "needle",
      bytes: Buffer.concat([Buffer.from("needle "), Buffer.from([0xff]), Buffer.from("\n")]),
      "long.txt": `needle${"x".repeat(5000)}`,
      program: Buffer.from("needle\n\0\0"),
    });
    const text = await bench.text("Grep", { pattern: "needle", output_mode: "content" });
    const rows = text.split("\n");
    expect(rows.slice(0, 3)).toEqual(["-dash:1:needle", "a:3:b.txt:1:needle", "bytes:1:needle \ufffd"]);
    expect(rows[3]?.length).toBeLessThan(600);
    expect(rows[3]).toContain("omitted end of long line");
    expect(await bench.text("Grep", { pattern: "needle", path: "program", output_mode: "content" })).toMatch(
      /^program: binary file matches/m,
    );
    bench.write({ "two\nlines": "pin" });
    expect(await bench.text("Grep", { pattern: "pin" })).toBe("two\nlines");
  });

  test("more than the host may say is counted as more", async () => {
    const bench = workbench({ big: `${"needle ".repeat(60)}\n`.repeat(12_000) });
    const text = await bench.text("Grep", { pattern: "needle", output_mode: "content", head_limit: 0 });
    expect(text.length).toBeLessThan(210_000);
    expect(text).toMatch(/\[Showing 1 to \d+ of more than \d+ lines\. Continue with offset: \d+/);
  });
});

describe("what ripgrep refuses is returned with what to do", () => {
  test.each([
    [{ pattern: "(" }, "unclosed group", "backslash"],
    [{ pattern: "a{" }, "repetition quantifier", "\\{"],
    [{ pattern: "(?=x)" }, "look-around", "simpler pattern"],
    [{ pattern: "a\\nb" }, "not allowed in a regex", "multiline: true"],
    [{ pattern: "x", type: "nope" }, "unrecognized file type: nope", "glob"],
    [{ pattern: "x", glob: "{a" }, "unclosed alternate group", "Correct the glob"],
    [{ pattern: "\\p{L}{900}{900}" }, "size limit", "simpler pattern"],
    [{ pattern: "a\0b" }, "NUL", "Search without it"],
    [{ pattern: "x", glob: "\0" }, "glob has a NUL", "Search without it"],
    [{ pattern: "x".repeat(50_000) }, "50000 characters long", "a part of it"],
  ])("%o", { tags: ["long"] }, async (input, said, advice) => {
    const failure = await workbench(FILES).failure("Grep", input);
    expect(failure).toContain(said);
    expect(failure).toContain(advice);
    expect(failure).not.toContain("PCRE2");
  });

  test("a missing path, with similar names", async () => {
    const bench = workbench(FILES);
    expect(await bench.failure("Grep", { pattern: "x", path: "scr" })).toContain(
      `Did you mean ${bench.path("src")}?`,
    );
  });
});

test("a pattern that would hang an engine with backtracking does not", async () => {
  const bench = workbench({ "a.txt": `${"a".repeat(50_000)}b` });
  for (const pattern of ["(a+)+$", "(a|aa)+$", "((a*)*)*c", "(.*)*x"])
    expect(await bench.text("Grep", { pattern, output_mode: "count" })).toContain("No matches");
});

describe("what the process host may answer", () => {
  const answer = (more: Partial<RunResult>): RunResult => ({
    id: "r",
    outcome: "exited",
    exitCode: 0,
    signal: null,
    stdout: "",
    stderr: "",
    truncated: false,
    durationMs: 1,
    ...more,
  });

  test.each([
    [{ outcome: "timed-out" as const, exitCode: null }, "ended after 60 seconds"],
    [{ outcome: "not-started" as const, reason: "Too many files are open." }, "Too many files are open."],
    [{ outcome: "unknown" as const, reason: "The process host ended." }, "The process host ended."],
    [{ outcome: "signalled" as const, signal: "SIGSEGV", exitCode: null }, "SIGSEGV"],
  ])("%o is a failure that says so", async (more, said) => {
    const run = async () => answer(more);
    expect(await workbench(FILES).failure("Grep", { pattern: "foo" }, { run })).toContain(said);
  });

  test("paths it could not read are counted, whatever else was found", async () => {
    const stderr = "rg: ./x: Permission denied (os error 13)\nrg: ./y: Permission denied (os error 13)\n";
    const run = async () => answer({ exitCode: 2, stderr, stdout: "./src/b.js\0" });
    const text = await workbench(FILES).text("Grep", { pattern: "foo" }, { run });
    expect(text).toBe("src/b.js\n\n[2 paths could not be read, such as x: Permission denied]");
  });

  test("a cancelled search does not wait for it", async () => {
    const cancel = new AbortController();
    const run = () => {
      cancel.abort(new Error("stop now"));
      return new Promise<RunResult>(() => {});
    };
    const call = workbench(FILES).call("Grep", { pattern: "foo" }, { run, signal: cancel.signal });
    await expect(call).rejects.toThrow("stop now");
  });
});
