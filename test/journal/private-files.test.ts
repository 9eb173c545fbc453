import { lstatSync, readdirSync } from "node:fs";
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { journalFile, projectsFolder, sessionPaths } from "../../src/journal/paths.ts";
import { createPrivateFile, makePrivateFolders } from "../../src/journal/private-files.ts";
import { linesUntilEnd, startAppending } from "./child.ts";
import { SESSION } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

test.each(["000", "022", "077", "177"])(
  "folders are 0700 and the file 0600 under umask %s (A22.29)",
  { tags: ["long"] },
  async (umask) => {
    const home = join(await temporaryFolder(), "home");
    const place = sessionPaths(home, "/w", SESSION);
    const { code } = await linesUntilEnd(startAppending(place, "once", `umask ${umask}`));
    expect(code).toBe(0);
    const folders = [projectsFolder(home), dirname(place.folder), place.folder];
    expect(folders.map(modeOf)).toEqual(["700", "700", "700"]);
    expect(modeOf(journalFile(place.folder))).toBe("600");
  },
);

test("removes permissions that are too wide", async () => {
  const place = sessionPaths(await temporaryFolder(), "/w", SESSION);
  await mkdir(place.folder, { recursive: true });
  await chmod(projectsFolder(place.home), 0o777);
  makePrivateFolders(place.home, place.folder);
  expect([projectsFolder(place.home), place.folder].map(modeOf)).toEqual(["700", "700"]);
});

test.each([
  ["projects", (folder: string) => dirname(dirname(folder))],
  ["the project", (folder: string) => dirname(folder)],
  ["the session", (folder: string) => folder],
])("a link planted in place of %s is refused and not followed", async (_, planted) => {
  const place = sessionPaths(await temporaryFolder(), "/w", SESSION);
  const elsewhere = await temporaryFolder();
  await mkdir(dirname(planted(place.folder)), { recursive: true });
  await symlink(elsewhere, planted(place.folder));
  expect(() => makePrivateFolders(place.home, place.folder)).toThrow(
    /is a link .*move it away or set TROUPE_HOME/,
  );
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("a link planted in place of the journal is refused and not written through", async () => {
  const folder = await temporaryFolder();
  const victim = join(folder, "victim");
  await writeFile(victim, "precious");
  await symlink(victim, journalFile(folder));
  expect(() => createPrivateFile(journalFile(folder))).toThrow(/EEXIST/);
  expect(await readFile(victim, "utf8")).toBe("precious");
});

test("accepts a home that is a link, as the user chose it", async () => {
  const real = await temporaryFolder();
  const home = join(await temporaryFolder(), "link");
  await symlink(real, home);
  const place = sessionPaths(home, "/w", SESSION);
  makePrivateFolders(home, place.folder);
  expect((await stat(sessionPaths(real, "/w", SESSION).folder)).isDirectory()).toBe(true);
});

test.each(["/somewhere/else", "."])("a directory that is not inside home is refused (%s)", async (other) => {
  const home = await temporaryFolder();
  expect(() => makePrivateFolders(home, join(other === "." ? home : other))).toThrow(/is not inside/);
});
