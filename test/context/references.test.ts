import { createHash } from "node:crypto";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskFiles } from "../../src/context/files.ts";
import { referencesIn } from "../../src/context/references.ts";
import { temporaryFolder } from "../support/temporary.ts";

function named(
  prompt: string,
  files: Readonly<Record<string, string>>,
  denied: (path: string) => boolean = () => false,
) {
  const folder = temporaryFolder();
  const cwd = join(folder, "work");
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const workspace = { cwd, folders: [cwd], homedir: folder, denied };
  const found = referencesIn(prompt, workspace, diskFiles);
  return { cwd, facts: found.map(({ fact }) => fact), reads: found.flatMap(({ read = [] }) => read), found };
}

test("a file is shown with the numbers of its lines, and the ledger knows it as Read would tell it (A2.8)", () => {
  const { cwd, facts, reads } = named("see @a.txt.", { "work/a.txt": "one\ntwo\n" });
  const path = join(cwd, "a.txt");
  expect(facts.map(({ text }) => text)).toEqual([
    `The prompt names this file; as Read would show it now:\n<file path="${path}">\n1\tone\n2\ttwo\n</file>`,
  ]);
  const { size, mtimeMs, ino } = statSync(path);
  const digest = createHash("sha256").update("one\ntwo").digest("hex");
  expect(reads).toEqual([{ path, size, mtimeMs, inode: ino, digest, lines: { from: 1, count: 2 } }]);
});

test("a name in quotes may have spaces; one file is shown once", () => {
  const { facts } = named('@"a b.txt" and @./a\\ b.txt and @c.txt', {
    "work/a b.txt": "1",
    "work/c.txt": "2",
  });
  expect(facts.map(({ key }) => key.split("/").at(-1))).toEqual(["a b.txt", "c.txt"]);
});

test("shows nothing outside of the workspace, nothing that a rule denies, and no target of a link outside", () => {
  const { cwd } = named("", {});
  symlinkSync("/etc/hostname", join(cwd, "link"));
  expect(
    referencesIn(
      "@link @/etc/hostname @../secret",
      { cwd, folders: [cwd], homedir: "/", denied: () => false },
      diskFiles,
    ),
  ).toEqual([]);
  expect(named("@../secret @~/secret", { secret: "x" }).facts).toEqual([]);
  expect(named("@.env", { "work/.env": "x" }, () => true).facts).toEqual([]);
});

test("mail addresses, decorators, hunks of diffs and code are text", () => {
  const { facts } = named("me@a.txt `@a.txt` @@ -1,2 @Component({}) @types/node", { "work/a.txt": "x" });
  expect(facts).toEqual([]);
});

test("names what is not text and how to view it; a long file continues with Read", () => {
  const { facts, reads } = named("@p.png @long.txt", {
    "work/p.png": "\u0000PNG",
    "work/long.txt": "line\n".repeat(30_000),
  });
  expect(facts[0]?.text).toMatch(/names .*p\.png, which is not shown here \(it is not UTF-8 text/);
  expect(facts[1]?.text).toMatch(
    /\n2000\tline\n\[The file is longer\. Read it with offset 2001 for the rest\.\]/,
  );
  expect(reads).toMatchObject([{ lines: { from: 1, count: 2_000 } }]);
});

test("attaches an image by its bytes; one that is invalid or too large is for Read (A2.8)", () => {
  const png = "\u0089PNG\r\n\u001a\n";
  const folder = temporaryFolder();
  writeFileSync(join(folder, "a.png"), Buffer.from(png, "latin1"));
  writeFileSync(join(folder, "b.png"), Buffer.from("\u0000no picture", "latin1"));
  writeFileSync(join(folder, "c.jpg"), Buffer.alloc(4 * 1024 * 1024));
  const workspace = { cwd: folder, folders: [folder], homedir: folder, denied: () => false };
  const found = referencesIn("@a.png @b.png @c.jpg", workspace, diskFiles);
  expect(found.map(({ picture }) => picture?.source)).toEqual([
    { type: "base64", media_type: "image/png", data: Buffer.from(png, "latin1").toString("base64") },
    undefined,
    undefined,
  ]);
  expect(found[1]?.fact.text).toMatch(/use Read for an image/);
});
