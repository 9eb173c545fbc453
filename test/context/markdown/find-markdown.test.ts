import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskFiles } from "../../../src/context/files.ts";
import { findMarkdown } from "../../../src/context/markdown/find-markdown.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** What is said of a path in which definitions are looked for. */
function saidOf(create: (path: string) => void): readonly string[] {
  const dir = join(temporaryFolder(), "agents");
  create(dir);
  const { problems } = findMarkdown([{ dir, layout: "tree", reach: null }], diskFiles);
  return problems.map(({ file, message }) => `${file === dir ? "it" : file} ${message}`);
}

test.each<[string, (path: string) => void, readonly string[]]>([
  ["nothing", () => {}, []],
  ["an empty directory", (path) => mkdirSync(path), []],
  [
    "a file",
    (path) => writeFileSync(path, "x"),
    ["it is a file, not a directory, so nothing is read from it."],
  ],
  [
    "a link to a file",
    (path) => symlinkSync(import.meta.filename, path),
    ["it is a file, not a directory, so nothing is read from it."],
  ],
  [
    "a link to itself",
    (path) => symlinkSync("agents", path),
    ["it is a link that leads back to itself, so nothing is read from it."],
  ],
])("reports what should be a directory and is %s", (_, create, said) => {
  expect(saidOf(create)).toEqual(said);
});
