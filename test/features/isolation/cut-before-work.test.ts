import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cutAfter, recorded, recordsOf, takenUp, world } from "../../supervisor/resume-world.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { creationIn, groundOf, OWNER } from "../../support/worktree-ground.ts";
import { createTree } from "../../worktrees/operations.ts";
import { DEAD } from "../../worktrees/tree-of-tests.ts";
import { turnOf } from "./one-worker.ts";

test("C13: an agent resumed after its process died before it started keeps its worktree, and its edits are merged", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const first = world("in-thread", turnOf, { cwd: repository.folder });
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  const began = recordsOf(whole.lines).findIndex(
    ({ event }) => event.type === "spawn" && event.spec.isolation !== undefined,
  );
  const event = recordsOf(whole.lines)[began]?.event;
  const name = event?.type === "spawn" ? (event.spec.isolation?.name ?? "") : "";
  // As if nothing had come of it yet but the tree.
  await repository.must(["clean", "-fdq"]);
  rmSync(join(repository.folder, ".git", "troupe"), { recursive: true });
  const refs = (await repository.must(["for-each-ref", "--format=%(refname)", "refs/troupe"])).trim();
  for (const ref of refs.split("\n")) await repository.must(["update-ref", "-d", ref]);
  const owner = { ...OWNER, process: DEAD.process };
  const made = await createTree(creationIn(repository.folder, { name, owner }), groundOf(repository));
  expect(made.type).toBe("created");
  const home = cutAfter(whole, began + 1);
  const setUp = join(home, "set-up");
  const again = await takenUp("in-thread", turnOf, {
    ...{ id: whole.id, home, worktree: { setup: { command: `echo ran >> '${setUp}'`, timeoutMs: 20_000 } } },
  });
  await again.supervisor.resumeUnfinished();
  const agent = again.supervisor.tree().find(({ summary }) => summary?.worktree !== undefined);
  expect(agent?.summary).toMatchObject({ status: "done", worktree: { outcome: "merged", files: 1 } });
  expect(readFileSync(join(repository.folder, "new.txt"), "utf8")).toBe("new\n");
  expect(readFileSync(setUp, "utf8")).toBe("ran\n");
  expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
});
