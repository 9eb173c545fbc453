import type { Worktree } from "../../../src/mailbox/worktree.ts";
import { applyMerge } from "../operations.ts";
import { groundOf } from "../tree-of-tests.ts";
import { dyingDisk } from "./dying-disk.ts";

/** Brings edits back and is killed in the middle of it. */
process.on(
  "message",
  ({ tree, env, step }: { tree: Worktree; env: Record<string, string>; step: number }) => {
    const ground = groundOf(env);
    const owner = { session: "s1", actor: "1", process: ground.self };
    const { disk } = dyingDisk(step, () => {
      process.kill(process.pid, "SIGKILL");
      for (;;);
    });
    void applyMerge(
      { tree, expects: null, hold: [], commit: null, owner, title: "Killed" },
      { ...ground, disk },
    );
  },
);
