/** `troupe undo` with a keeper in whose checkout a file was changed since; started by undo-terminal.test.ts. */
import { processIO } from "../../../src/cli/process-io.ts";
import { undoEdits } from "../../../src/cli/worktrees/undo-edits.ts";
import { fakeWorktrees } from "./fake-worktrees.ts";

const merge = { merge: "m1", title: "rename the parser", paths: ["a.ts"] };
const worktrees = fakeWorktrees({
  undo: async ({ force }) =>
    force ? { type: "undone", ...merge, notes: [] } : { type: "changed", ...merge },
});
const io = processIO(process.cwd());
process.exitCode = await undoEdits(undefined, false, { worktrees, io, folder: "/repo", json: false });
