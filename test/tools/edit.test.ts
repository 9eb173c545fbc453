import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ActorId } from "../../src/mailbox/ids.ts";
import { MAX_EDIT_BYTES } from "../../src/tools/edit.ts";
import { ReadLedger } from "../../src/tools/read-ledger.ts";
import { unless } from "../support/needs.ts";
import { type Workbench, workbenches } from "./workbench.ts";

const workbench = workbenches();

/** Reads the file, then edits it. */
async function readAndEdit(bench: Workbench, name: string, old: string, fresh: string, all?: boolean) {
  await bench.text("Read", { file_path: bench.path(name) });
  return bench.call("Edit", edit(bench, name, old, fresh, all));
}

function edit(bench: Workbench, name: string, old: string, fresh: string, all?: boolean) {
  const input = { file_path: bench.path(name), old_string: old, new_string: fresh };
  return all === undefined ? input : { ...input, replace_all: all };
}

const bytesOf = (bench: Workbench, name: string) => readFileSync(bench.path(name), "utf8");

test("one place is replaced, and nothing else is touched (A3.3, A9.3)", async () => {
  const bench = workbench({ "a.ts": "one\n\ttwo $& two's\nthree" });
  const { content, isError } = await readAndEdit(bench, "a.ts", "\ttwo $&", "  $1 2\n  $$");
  expect(isError, String(content)).toBe(false);
  expect(content).toBe(`${bench.path("a.ts")} was edited: line 2.`);
  expect(bytesOf(bench, "a.ts")).toBe("one\n  $1 2\n  $$ two's\nthree");
});

describe("what was not seen is not changed", () => {
  test("an unread file, with what to do (A9.1)", async () => {
    const bench = workbench({ a: "x" });
    const failure = await bench.failure("Edit", edit(bench, "a", "x", "y"));
    expect(failure).toContain("has not been read in this conversation. Read it first");
    expect(bytesOf(bench, "a")).toBe("x");
  });

  test("a file read by another agent only (A22.9)", async () => {
    const bench = workbench({ a: "x" });
    await bench.text("Read", { file_path: bench.path("a") }, { reads: new ReadLedger() });
    expect(await bench.failure("Edit", edit(bench, "a", "x", "y"))).toContain("has not been read");
  });

  test("a file that was touched, changed, or replaced since (A9.2, A22.8, fault 47)", async () => {
    const bench = workbench({ a: "same size", b: "x" });
    const changes: readonly (() => void)[] = [
      () => utimesSync(bench.path("a"), new Date(), new Date(Date.now() + 5_000)),
      () => writeFileSync(bench.path("a"), "Same size"),
      () => writeFileSync(bench.path("a"), "longer than that"),
      () => {
        writeFileSync(bench.path("other"), "same size");
        renameSync(bench.path("other"), bench.path("a"));
      },
    ];
    for (const change of changes) {
      await bench.text("Read", { file_path: bench.path("a") });
      change();
      const after = bytesOf(bench, "a");
      const failure = await bench.failure("Edit", edit(bench, "a", "s", "z", true));
      expect(failure).toContain("was changed since you read it");
      expect(failure).toContain("Read it again");
      expect(bytesOf(bench, "a")).toBe(after);
    }
    expect((await readAndEdit(bench, "a", "size", "bytes")).isError).toBe(false);
  });

  test("other bytes under the same size, time and inode: known by their digest, or by the lines that were shown", async () => {
    const big = `${"x".repeat(1024)}\n`.repeat(1100);
    for (const text of ["abc\n", big]) {
      const bench = workbench({ a: text });
      await bench.text("Read", { file_path: bench.path("a"), limit: 5 });
      const { atime, mtime } = statSync(bench.path("a"));
      writeFileSync(bench.path("a"), `Z${text.slice(1)}`);
      utimesSync(bench.path("a"), atime, mtime);
      const entry = bench.reads.get(bench.path("a"));
      // A clock finer than utimes can set would end this test's point, so the entry is given its time.
      if (entry) bench.reads.record({ ...entry, mtimeMs: statSync(bench.path("a")).mtimeMs });
      expect(await bench.failure("Edit", edit(bench, "a", "Z", "y"))).toContain("was changed since");
    }
  });

  test("who changed it is said, where it was another agent (A22.9)", async () => {
    const bench = workbench({ a: "x" });
    const lastWriters = [
      { path: bench.path("a"), actor: ActorId.parse("w0rker"), description: "sort the imports" },
    ];
    await bench.text("Read", { file_path: bench.path("a") });
    writeFileSync(bench.path("a"), "y");
    const failure = await bench.failure("Edit", edit(bench, "a", "x", "z"), { lastWriters });
    expect(failure).toContain('changed by another agent (w0rker, "sort the imports") since you read it');
  });

  test("a successful edit counts as seen: a second one works, also of a large file (A9.2)", async () => {
    const large = `${"line of it\n".repeat(110_000)}end one two`;
    for (const text of ["one two", large]) {
      const bench = workbench({ a: text });
      expect((await readAndEdit(bench, "a", "one", "1")).isError).toBe(false);
      await bench.text("Edit", edit(bench, "a", "two", "2"));
      expect(bytesOf(bench, "a").endsWith("1 2")).toBe(true);
    }
  });
});

describe("relaxed, where a person has set it (A22.8)", () => {
  const fileRules = { edit: "relaxed", write: "any" } as const;

  test("a file that changed elsewhere is edited where old_string still stands once, which is said each time", async () => {
    const bench = workbench({ a: "one\ntwo\n" });
    await bench.text("Read", { file_path: bench.path("a") });
    bench.write({ a: "new\none\ntwo\n" });
    expect(await bench.failure("Edit", edit(bench, "a", "one", "uno"))).toContain("was changed since");
    for (const [old, fresh] of [
      ["one", "uno"],
      ["two", "due"],
    ] as const)
      expect(await bench.text("Edit", edit(bench, "a", old, fresh), { fileRules })).toMatch(
        /was edited: line \d\. It was changed since you read it/,
      );
    expect(bytesOf(bench, "a")).toBe("new\nuno\ndue\n");
  });

  test("not where it stands twice now, or only in a tolerant reading, or was never read", async () => {
    const bench = workbench({ a: "one\n", b: "one\n" });
    await bench.text("Read", { file_path: bench.path("a") });
    bench.write({ a: "one 'q'\none\n" });
    for (const old of ["one", "“q”", "‘q’"]) {
      const failure = await bench.failure("Edit", edit(bench, "a", old, "x"), { fileRules });
      expect(failure).toContain("was changed since you read it, and was left as it is");
    }
    expect(await bench.failure("Edit", edit(bench, "b", "one", "x"), { fileRules })).toContain(
      "not been read",
    );
    expect(bytesOf(bench, "a")).toBe("one 'q'\none\n");
  });
});

describe("old_string", () => {
  test("must occur once: says how often it does, and in which lines (A9.3)", async () => {
    const bench = workbench({ a: "x\ny\nx\nx\n" });
    const { content } = await readAndEdit(bench, "a", "x", "z");
    expect(content).toContain("3 times (lines 1, 3, 4)");
    expect(content).toContain("replace_all");
    expect(bytesOf(bench, "a")).toBe("x\ny\nx\nx\n");
    expect(await bench.text("Edit", edit(bench, "a", "x", "z", true))).toContain(
      "3 places, the first in line 1",
    );
    expect(bytesOf(bench, "a")).toBe("z\ny\nz\nz\n");
  });

  test("that overlaps itself is not one place", async () => {
    const bench = workbench({ a: "aaa" });
    expect((await readAndEdit(bench, "a", "aa", "b")).content).toContain("2 times");
    expect(await bench.text("Edit", edit(bench, "a", "aa", "b", true))).toContain("line 1");
    expect(bytesOf(bench, "a")).toBe("ba");
  });

  test("that is nowhere changes nothing (A9.7)", async () => {
    const bench = workbench({ a: "x" });
    const { content } = await readAndEdit(bench, "a", "nowhere", "y");
    expect(content).toContain("old_string is not in");
    expect(content).toContain("copy the text exactly");
    expect(bytesOf(bench, "a")).toBe("x");
  });

  test("must differ from new_string, and must not be empty (A9.4)", async () => {
    const bench = workbench({ a: "x" });
    expect((await readAndEdit(bench, "a", "x", "x")).content).toContain("are the same");
    expect((await readAndEdit(bench, "a", "", "x")).content).toContain("old_string is empty");
    expect(bytesOf(bench, "a")).toBe("x");
  });
});

describe("the two tolerant readings, only where the exact text is nowhere", () => {
  test("line numbers as Read shows them, or with an arrow, also in new_string (A9.5, A22.12)", async () => {
    const bench = workbench({ a: "foo()\n  bar()\n}\n" });
    const shown = await bench.text("Read", { file_path: bench.path("a") });
    expect(shown).toBe("1\tfoo()\n2\t  bar()\n3\t}");
    const done = await bench.text("Edit", edit(bench, "a", shown, "1\tfoo(1)\n2\t  bar()\n3\t}"));
    expect(done).toContain("The line numbers in old_string and new_string were left out.");
    expect(bytesOf(bench, "a")).toBe("foo(1)\n  bar()\n}\n");
    await bench.text("Edit", edit(bench, "a", "     2→  bar()\n     3→}", "  baz()\n}"));
    expect(bytesOf(bench, "a")).toBe("foo(1)\n  baz()\n}\n");
  });

  test("a file whose own lines begin with a number and a tab is edited as it is (A9.5)", async () => {
    const bench = workbench({ tsv: "1\tone\n2\ttwo\none\n" });
    expect((await readAndEdit(bench, "tsv", "1\tone", "1\tuno")).isError).toBe(false);
    expect(bytesOf(bench, "tsv")).toBe("1\tuno\n2\ttwo\none\n");
  });

  test("curly quotes for straight ones, and the file's other bytes stay (A9.6)", async () => {
    const bench = workbench({ a: `say("it's")\n“kept”\n` });
    const done = await readAndEdit(bench, "a", "say(“it’s”)", `say("no")`);
    expect(done.content).toContain("was found with other quotes");
    expect(bytesOf(bench, "a")).toBe(`say("no")\n“kept”\n`);
  });

  test("both together", async () => {
    const bench = workbench({ a: `x = "a"\ny\n` });
    expect((await readAndEdit(bench, "a", "1\tx = “a”\n2\ty", "1\tx = 1\n2\ty")).isError).toBe(false);
    expect(bytesOf(bench, "a")).toBe("x = 1\ny\n");
  });

  test("a tolerant reading that is found twice is no place either", async () => {
    const bench = workbench({ a: `"x"\n"x"\n` });
    expect((await readAndEdit(bench, "a", "“x”", "y")).content).toContain("2 times (lines 1, 2)");
    expect(bytesOf(bench, "a")).toBe(`"x"\n"x"\n`);
  });
});

describe("whatever the bytes", () => {
  test("CRLF stays CRLF, and a byte order mark stays", async () => {
    const bench = workbench({ dos: "\ufeffone\r\ntwo\r\nthree\r\n" });
    expect((await readAndEdit(bench, "dos", "one\ntwo", "1\n2\n2½")).isError).toBe(false);
    expect(bytesOf(bench, "dos")).toBe("\ufeff1\r\n2\r\n2½\r\nthree\r\n");
    await bench.text("Edit", edit(bench, "dos", "three", "3\n4"));
    expect(bytesOf(bench, "dos")).toBe("\ufeff1\r\n2\r\n2½\r\n3\r\n4\r\n");
  });

  test("of mixed line ends each place keeps its own", async () => {
    const bench = workbench({ mixed: "a\r\nb\nc\r\nd\r\n" });
    expect((await readAndEdit(bench, "mixed", "b\nc", "b1\nb2\nc")).isError).toBe(false);
    expect(bytesOf(bench, "mixed")).toBe("a\r\nb1\nb2\nc\r\nd\r\n");
    await bench.text("Edit", edit(bench, "mixed", "a\nb1", "A\nB"));
    expect(bytesOf(bench, "mixed")).toBe("A\r\nB\nb2\nc\r\nd\r\n");
  });

  test("line ends themselves can be changed, where they are named", async () => {
    const bench = workbench({ dos: "a\r\nb\r\n" });
    expect((await readAndEdit(bench, "dos", "\r\n", "\n", true)).isError).toBe(false);
    expect(bytesOf(bench, "dos")).toBe("a\nb\n");
  });

  test("invalid UTF-8 around the place stays byte for byte", async () => {
    const before = Buffer.from([0xff, 0x61, 0xc3, 0xa9, 0x0a, 0x80, 0x62, 0xed, 0xa0, 0x80]);
    const bench = workbench({ odd: before });
    expect((await readAndEdit(bench, "odd", "é\n", "ü!\n")).isError).toBe(false);
    const after = Buffer.concat([Buffer.from([0xff, 0x61]), Buffer.from("ü!\n"), before.subarray(5)]);
    expect(readFileSync(bench.path("odd")).equals(after)).toBe(true);
  });

  test("property: the result is what replacing the string gives; a failure leaves the bytes", {
    tags: ["long"],
  }, async () => {
    const bench = workbench({ a: "" });
    const piece = fc.array(fc.constantFrom("a", "b", "\n", " ", "é", "😀", "$&", "“", '"', "1\t", "\r\n"), {
      maxLength: 8,
    });
    const text = piece.map((parts) => parts.join(""));
    const seen = { failed: 0, replaced: 0 };
    const longText = fc.array(text, { maxLength: 4 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(longText, text, text, fc.boolean(), async (before, old, fresh, all) => {
        writeFileSync(bench.path("a"), before);
        const { isError, content } = await readAndEdit(bench, "a", old, fresh, all);
        const after = bytesOf(bench, "a");
        const plain = ![before, old, fresh].some((string) => string.includes("\r"));
        const once =
          old !== "" && before.split(old).length === 2 && before.lastIndexOf(old) === before.indexOf(old);
        if (isError) {
          seen.failed += 1;
          expect(after).toBe(before);
          expect(plain && once && old !== fresh).toBe(false);
        } else if (/line \d+\.$/.test(String(content)) && !old.includes("\r") && !fresh.includes("\r")) {
          const lf = (string: string) => string.replaceAll("\r\n", "\n");
          const replaced = all
            ? lf(before).replaceAll(old, () => fresh)
            : lf(before).replace(old, () => fresh);
          seen.replaced += 1;
          expect(plain ? after : lf(after)).toBe(replaced);
        }
      }),
      { numRuns: 300, seed: 3 },
    );
    // Else it would prove little.
    expect(seen.failed).toBeGreaterThan(30);
    expect(seen.replaced).toBeGreaterThan(10);
  });
});

describe("the file around its bytes", () => {
  test("its mode stays, and no temporary file is left", async () => {
    const bench = workbench({ "run.sh": "echo one\n" });
    chmodSync(bench.path("run.sh"), 0o750);
    expect((await readAndEdit(bench, "run.sh", "one", "two")).isError).toBe(false);
    expect(statSync(bench.path("run.sh")).mode & 0o7777).toBe(0o750);
    expect(readdirSync(bench.root)).toEqual(["run.sh"]);
  });

  test(
    "its owner stays, where that is allowed",
    unless(process.getuid?.() === 0 ? null : "only root may give files away"),
    async () => {
      const bench = workbench({ a: "one" });
      chownSync(bench.path("a"), 12_345, 12_346);
      chmodSync(bench.path("a"), 0o6755);
      expect((await readAndEdit(bench, "a", "one", "two")).isError).toBe(false);
      expect(statSync(bench.path("a"))).toMatchObject({ uid: 12_345, gid: 12_346 });
      expect(statSync(bench.path("a")).mode & 0o7777).toBe(0o6755);
    },
  );

  test("a link to a file inside stays a link, and the file is what changes", async () => {
    const bench = workbench({ "real/a": "one" });
    symlinkSync(bench.path("real/a"), bench.path("link"));
    expect((await readAndEdit(bench, "link", "one", "two")).isError).toBe(false);
    expect(realpathSync(bench.path("link"))).toBe(bench.path("real/a"));
    expect(bytesOf(bench, "real/a")).toBe("two");
  });

  test("another hard link keeps what it had", async () => {
    const bench = workbench({ a: "one" });
    linkSync(bench.path("a"), bench.path("b"));
    expect((await readAndEdit(bench, "a", "one", "two")).isError).toBe(false);
    expect(bytesOf(bench, "b")).toBe("one");
  });
});

describe("bad input", () => {
  test("a path that is not absolute (A8.8)", async () => {
    const bench = workbench({ a: "x" });
    for (const file_path of ["a", "./a", "~/a"])
      expect(await bench.failure("Edit", { file_path, old_string: "x", new_string: "y" })).toContain(
        "must be absolute",
      );
  });

  test("a missing file, a folder, a pipe, a device, a circle, names no system has", async () => {
    const bench = workbench({ "sub/a.ts": "x" });
    execFileSync("mkfifo", [bench.path("pipe")]);
    symlinkSync(bench.path("round"), bench.path("about"));
    symlinkSync(bench.path("about"), bench.path("round"));
    const cases: [string, string][] = [
      [bench.path("sub/b.ts"), "Did you mean"],
      [bench.path("sub"), "is a directory"],
      [bench.path("pipe"), "named pipe"],
      ["/dev/full", "is a device"],
      [bench.path("round"), "circle"],
      [bench.path("n".repeat(300)), "too long"],
      ["/a\0b", "cannot be read"],
    ];
    for (const [file_path, words] of cases)
      expect(await bench.failure("Edit", { file_path, old_string: "x", new_string: "y" })).toContain(words);
  });

  test("names with line breaks and every script", async () => {
    const name = "línea\n行 😀.txt";
    const bench = workbench({ [name]: "x" });
    expect((await readAndEdit(bench, name, "x", "y")).isError).toBe(false);
    expect(bytesOf(bench, name)).toBe("y");
  });

  test("a notebook is sent to NotebookEdit", async () => {
    const bench = workbench({ "a.ipynb": "{}" });
    expect(await bench.failure("Edit", edit(bench, "a.ipynb", "x", "y"))).toContain("NotebookEdit");
  });

  test("a file too large to hold", async () => {
    const bench = workbench({ huge: "x\n".repeat(5_000) });
    truncateSync(bench.path("huge"), MAX_EDIT_BYTES + 1);
    await bench.text("Read", { file_path: bench.path("huge"), limit: 1 });
    expect(await bench.failure("Edit", edit(bench, "huge", "x", "y"))).toContain(`up to ${MAX_EDIT_BYTES}`);
  });

  test("a file that vanished since it was read", async () => {
    const bench = workbench({ a: "x" });
    await bench.text("Read", { file_path: bench.path("a") });
    renameSync(bench.path("a"), bench.path("b"));
    expect(await bench.failure("Edit", edit(bench, "a", "x", "y"))).toContain("does not exist");
  });

  test("a link that leads out of the workspace, where the gate did not see it (fault 48)", async () => {
    const bench = workbench({ "outside/a": "x", "work/b": "" });
    const root = bench.path("work");
    symlinkSync(bench.path("outside"), bench.path("work/folder"));
    symlinkSync(bench.path("outside/a"), bench.path("work/file"));
    for (const name of ["work/folder/a", "work/file"]) {
      await bench.text("Read", { file_path: bench.path(name) });
      const failure = await bench.failure("Edit", edit(bench, name, "x", "y"), { root });
      expect(failure).toContain("leads out of the workspace");
    }
    expect(bytesOf(bench, "outside/a")).toBe("x");
    await bench.text("Edit", edit(bench, "work/file", "x", "y"), {
      root,
      additionalDirs: [bench.path("outside")],
    });
    expect(bytesOf(bench, "outside/a")).toBe("y");
  });

  test("a call that was cancelled changes nothing", async () => {
    const bench = workbench({ a: "x" });
    await bench.text("Read", { file_path: bench.path("a") });
    const signal = AbortSignal.abort(new Error("stop now"));
    await expect(bench.call("Edit", edit(bench, "a", "x", "y"), { signal })).rejects.toThrow("stop now");
    expect(bytesOf(bench, "a")).toBe("x");
    mkdirSync(bench.path("empty"));
    expect(readdirSync(bench.root).sort()).toEqual(["a", "empty"]);
  });
});
