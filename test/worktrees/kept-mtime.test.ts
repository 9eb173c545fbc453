// @module-tag long
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ignoredRef, snapshotRef } from "../../src/worktrees/layout.ts";
import { emptyRepository, type TestRepository } from "../support/git-repository.ts";
import { removeTree, snapshotTree } from "./operations.ts";
import { aTree, type TestTree, treeIn } from "./tree-of-tests.ts";

/** As `cp -p`, `rsync -t` and `tar x` do. */
function writeWithTime(t: TestTree, path: string, content: string, seconds: number): void {
  t.write(path, content);
  utimesSync(t.at(path), seconds, seconds);
}

/**
 * Git looks at seconds only. Writes of two seconds prove nothing, so they are done again with another file until both
 * fall into one. `look` is what must not settle the first content for good.
 */
async function twoThenSix(
  t: TestTree,
  look: (path: string) => Promise<unknown>,
  name = (at: number) => `file-${at}.txt`,
): Promise<string> {
  for (let at = 0; ; at += 1) {
    const path = name(at);
    writeWithTime(t, path, "two\n", LONG_AGO);
    const before = second(t, path);
    await look(path);
    writeWithTime(t, path, "six\n", LONG_AGO);
    if (second(t, path) === before) return path;
  }
}

function second(t: TestTree, path: string): number {
  return Math.floor(statSync(t.at(path)).ctimeMs / 1_000);
}

const LONG_AGO = 1_000_000_000;

async function repositoryOf(
  config: Readonly<Record<string, string>>,
  format: string,
): Promise<TestRepository> {
  const repository = await emptyRepository();
  rmSync(join(repository.folder, ".git"), { recursive: true });
  await repository.must(["init", "-q", "-b", "main", `--object-format=${format}`]);
  for (const [key, value] of Object.entries(config)) await repository.must(["config", key, value]);
  repository.write({ "a.txt": "one\n", ".gitignore": "*.env\n", "deep/er/b.txt": "b\n" });
  await repository.commit("The beginning");
  return repository;
}

for (const [version, format] of [
  ["2", "sha1"],
  ["4", "sha256"],
] as const)
  test(`a snapshot finds a change within one second that preserves size and mtime (index ${version}, ${format})`, async () => {
    const t = await treeIn(await repositoryOf({ "index.version": version }, format), "t1");
    const path = await twoThenSix(t, () => t.snapshot());
    const { commit, changed } = await t.snapshot();
    expect(changed).toEqual([{ path, change: "modified" }]);
    expect(await t.show(`${commit}:${path}`)).toBe("six\n");
  });

test("the last snapshot before a removal has such a change, in ignored files too", {
  tags: ["long"],
}, async () => {
  const t = await treeIn(await repositoryOf({}, "sha1"), "t1");
  await t.snapshot();
  const path = await twoThenSix(t, () => t.snapshot());
  const env = await twoThenSix(
    t,
    (file) => t.snapshot([file]),
    (at) => `${at}.env`,
  );
  expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  expect(await t.show(`${snapshotRef("t1")}:${path}`)).toBe("six\n");
  expect(await t.show(`${ignoredRef("t1")}:${env}`)).toBe("six\n");
});

test("the first snapshot has a change that the index of the new tree cannot show", async () => {
  const t = await aTree();
  const path = await twoThenSix(t, (file) => t.must(["add", file]));
  const { commit } = await t.snapshot();
  expect(await t.show(`${commit}:${path}`)).toBe("six\n");
});

test.each([
  ["is empty", ""],
  ["ends within an entry", "DIRC\0\0\0\x02\0\0\0\x09"],
  ["has a name without an end", `DIRC\0\0\0\x04\0\0\0\x09${"a".repeat(100)}`],
])("a tree whose index %s is refused in words", async (_, index) => {
  const t = await aTree();
  writeFileSync(join(t.common, "worktrees", "t1", "index"), index, "latin1");
  t.write("a.txt", "new\n");
  expect(await snapshotTree({ tree: t.tree, files: null }, t.ground)).toMatchObject({
    type: "refused",
    reason: expect.stringMatching(/could not be snapshotted/),
  });
});

test("the same holds if the index of the tree is split", async () => {
  const t = await treeIn(await repositoryOf({ "core.splitIndex": "true" }, "sha1"), "t1");
  const path = await twoThenSix(t, async (file) => {
    await t.must(["add", file]);
    await t.must(["update-index", "--split-index"]);
  });
  const { commit } = await t.snapshot();
  expect(await t.show(`${commit}:${path}`)).toBe("six\n");
});
