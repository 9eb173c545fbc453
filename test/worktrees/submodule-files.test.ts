import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { repositoryWith } from "../support/git-repository.ts";
import { removeTree, restoreTree } from "./operations.ts";
import { type TestTree, treeIn } from "./tree-of-tests.ts";

/** Its folder `lib` is a submodule's, and empty. */
async function withSubmodule(name: string | null): Promise<TestTree> {
  const inner = await repositoryWith({ "i.txt": "1\n" });
  const person = await repositoryWith({ "a.txt": "1\n" });
  await person.must(["clone", "-q", inner.folder, "lib"]);
  if (name !== null) person.write({ [name]: `[submodule "lib"]\n\tpath = lib\n\turl = ${inner.folder}\n` });
  await person.commit("with a submodule");
  return treeIn(person, "t1");
}

const back = (t: TestTree) => restoreTree({ folder: t.repository.folder, name: "t1" }, t.ground);

test("keeps and restores what an agent writes into the directory of a submodule (C10)", {
  tags: ["long"],
}, async () => {
  const t = await withSubmodule(".gitmodules");
  t.write("lib/new.txt", "by Write\n");
  await t.snapshot(["lib/new.txt"]);
  expect(await t.show("refs/troupe/ignored/t1:lib/new.txt")).toBe("by Write\n");
  t.write("lib/deep/made.log", "by a command\n");
  t.write("a.txt", "2\n");
  await t.snapshot();
  t.write("lib/new.txt", "by Edit\n");
  expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  expect(existsSync(t.tree.path)).toBe(false);
  expect(await back(t)).toMatchObject({ type: "restored" });
  expect(
    ["lib/new.txt", "lib/deep/made.log", "a.txt"].map((path) => readFileSync(t.at(path), "utf8")),
  ).toEqual(["by Edit\n", "by a command\n", "2\n"]);
});

test("where no .gitmodules names it, a tree with files in it is not removed", {
  tags: ["long"],
}, async () => {
  const t = await withSubmodule(null);
  t.write("lib/new.txt", "new\n");
  await t.snapshot();
  expect(await removeTree({ tree: t.tree }, t.ground)).toMatchObject({
    type: "refused",
    reason: expect.stringContaining("saved nowhere: lib/new.txt"),
  });
  expect(readFileSync(t.at("lib/new.txt"), "utf8")).toBe("new\n");
});
