/** A session of its own for tests: asks a keeper for something, says what it answered, and is then idle. */
import { systemClock } from "../../src/lib/clock.ts";
import { startGitWorker } from "../../src/worktrees/git-worker.ts";
import { creationIn } from "../support/worktree-ground.ts";

const [what, folder = ""] = process.argv.slice(2);
const keeper = startGitWorker({
  env: process.env,
  clock: systemClock,
  onWarning: (message) => console.error(message),
});
if (what === "sweep") void keeper.sweep({ folder });
const answer =
  what === "create"
    ? await keeper.create(creationIn(folder, { baseRef: "head" }))
    : await keeper.inspect({ folder });
console.log(answer.type);
