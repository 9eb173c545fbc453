import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskFiles, diskFilesBy } from "../../src/context/disk-files.ts";
import { askedFiles, isUnchanged } from "../../src/context/tracked-files.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A folder with a bit of everything, and all of it asked. */
function asked() {
  const top = temporaryFolder();
  const at = (name: string) => join(top, name);
  mkdirSync(at("folder"));
  writeFileSync(at("folder/in-it.md"), "a");
  writeFileSync(at("file.md"), "one");
  // A clock's tick is longer than this takes.
  utimesSync(at("file.md"), 1, 1);
  symlinkSync(at("folder"), at("link"));
  const files = askedFiles(diskFiles);
  for (const name of ["file.md", "none.md", "folder"]) files.look(at(name));
  for (const name of ["folder", "none", "file.md"]) files.entries(at(name));
  files.read(at("folder/in-it.md"), 100);
  files.real(at("link"));
  return { at, isAsItWas: () => isUnchanged(files.asked, diskFiles) !== null };
}

test("where nothing has changed of what was asked all is as it was, whatever else has", () => {
  const { at, isAsItWas } = asked();
  expect(isAsItWas()).toBe(true);
  writeFileSync(at("another.md"), "Nobody has asked.");
  chmodSync(at("."), 0o755);
  expect(isAsItWas()).toBe(true);
});

test.each<[string, (at: (name: string) => string) => void]>([
  ["a file of the same length with other words", (at) => writeFileSync(at("file.md"), "two")],
  ["a file that has gone", (at) => rmSync(at("file.md"))],
  ["a file that was not there", (at) => writeFileSync(at("none.md"), "")],
  ["a folder in the place of a file", (at) => inPlaceOf(at("file.md"), mkdirSync)],
  ["a new file in a folder", (at) => writeFileSync(at("folder/new.md"), "")],
  ["a file of a folder with another name", (at) => renameSync(at("folder/in-it.md"), at("folder/it.md"))],
  ["a folder that was not there", (at) => renameSync(at("folder"), at("none"))],
  ["a file of a folder that is a folder now", (at) => inPlaceOf(at("folder/in-it.md"), mkdirSync)],
  ["what was read, written again", (at) => writeFileSync(at("folder/in-it.md"), "bc")],
  ["a link that leads elsewhere", (at) => inPlaceOf(at("link"), (path) => symlinkSync(at("file.md"), path))],
])("it is not after %s", (_, change) => {
  const { at, isAsItWas } = asked();
  change(at);
  expect(isAsItWas()).toBe(false);
});

test("a folder that was changed in the tick of a look is known by its names, and by its stamp once it is older", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "one.md"), "");
  const later = (ms: number) => {
    const date = () => new Date(statSync(folder).ctimeMs + ms).toISOString();
    return diskFilesBy({ date });
  };
  const { asked, entries } = askedFiles(later(0));
  expect(entries(folder)).toHaveLength(1);
  expect(asked.folders).toEqual([[folder, "one.md/"]]);
  expect(isUnchanged(asked, later(1_000))).toBe(asked);
  const known = isUnchanged(asked, later(10_000));
  // Of ext4 and of a disk in memory, on which tests run.
  const tells = process.platform === "linux" && [0xef53, 0x01021994].includes(statfsSync(folder).type);
  if (tells) expect(known?.folders[0]).toHaveLength(6);
  expect(known).not.toBeNull();
  expect(isUnchanged(known ?? asked, later(10_000))).toBe(known);
  writeFileSync(join(folder, "two.md"), "");
  utimesSync(folder, 1, 1);
  expect(isUnchanged(known ?? asked, later(10_000))).toBeNull();
  expect(isUnchanged(asked, later(0))).toBeNull();
});

function inPlaceOf(path: string, make: (path: string) => void): void {
  rmSync(path);
  make(path);
}
