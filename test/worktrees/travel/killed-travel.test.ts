// @module-tag long
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RunnerRepositories } from "../../../src/worktrees/runner/repositories.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { killedProgram } from "../killing-git.ts";
import { importEdits } from "../operations.ts";
import type { KilledTravel } from "./killed-travel.ts";
import { filesBelow, travelWorld } from "./travel-world.ts";

const FILES = { "a.txt": "1\n", "b/c.txt": "c\n", "d.txt": "d\n" };
const MOST = 60;

/** True if it was killed, with its git, when it started git for the `at`th time. */
function killed(repository: TestRepository, folder: string, step: KilledTravel, at: number) {
  const killing = { folder: join(folder, "killing"), env: repository.env, at, how: "torn" } as const;
  const program = join(import.meta.dirname, "killed-travel.ts");
  return killedProgram(killing, program, (env) => [JSON.stringify(step), JSON.stringify(env)]);
}

test("a runner that is killed while it receives, or makes a worktree, does so again", async () => {
  const repository = await repositoryWith(FILES);
  const world = travelWorld(repository);
  const tree = await world.create();
  const { repository: id, commit, bundle } = await world.sendOut({ type: "tree", tree });
  const files = { commit, bundle: bundle ?? "" };
  for (let at = 1, more = true; more && at < MOST; at += 1) {
    const clones = join(world.folder, `clones-${at}`);
    const added = { repository: id, commit, path: join(world.folder, `trees-${at}`, "one") };
    more = await killed(repository, world.folder, { type: "receive", clones, repository: id, ...files }, at);
    const runner = new RunnerRepositories(clones, world.ground);
    await runner.receive(id, files);
    const again = await killed(repository, world.folder, { type: "add", clones, tree: added }, at);
    more ||= again;
    const lease = await runner.trees.add(added);
    expect(filesBelow(added.path), `${at}`).toEqual(filesBelow(repository.folder));
    expect((await runner.trees.snapshot(added.path)).commit).toBe(commit);
    await runner.trees.remove(added.path, lease);
  }
});

test.for([1, 2, 3, 4])(
  "an import that is killed is repeated without harm (from the git number %d)",
  async (from) => {
    const repository = await repositoryWith(FILES);
    const world = travelWorld(repository);
    const tree = await world.create();
    const sent = await world.sendOut({ type: "tree", tree });
    for (let at = from, more = true; more && at < MOST; at += 4) {
      const there = world.remote("one");
      writeFileSync(join(there, "a.txt"), `${at}\n`);
      writeFileSync(join(there, `b/${at % 5}.txt`), `${at}\n`);
      const edits = await world.runner.trees.exportSince(there, { base: sent.commit, into: world.blobs });
      if (edits === null || edits.bundle === null) throw new Error("nothing was edited");
      const request = { tree, bundle: edits.bundle, commit: edits.commit };
      more = await killed(repository, world.folder, { type: "import", edits: request }, at);
      expect(await importEdits(request, world.ground), `${at}`).toMatchObject({ type: "imported" });
      expect(filesBelow(tree.path), `${at}`).toEqual(filesBelow(there));
    }
  },
);
