import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import type { LeftWorktree, WorktreeService } from "./service.ts";

const Input = z.strictObject({
  action: z
    .enum(["keep", "remove"])
    .check(z.describe("Whether to keep or remove the worktree and its branch (required)")),
  discard_changes: z._default(
    z.boolean().check(z.describe("With remove: even if it has edits that are nowhere else. Default: false")),
    false,
  ),
});
type Input = z.infer<typeof Input>;

type Left = Extract<LeftWorktree, { type: "left" }>;

/** Named files that prevent the removal of a worktree. */
const MAX_NAMED = 50;

const prompt: ToolPrompt = {
  what: "Leaves the worktree of this conversation; the working directory is again the one before. The worktree is kept, or removed with its branch.",
  when: "when the work in the worktree is done, or the user wants to return to their checkout.",
  whenNot: ["in the middle of the work without being asked.", naming`Only after ${"EnterWorktree"}.`],
  how: "action keep leaves everything on the disk; remove deletes the worktree and its branch. If it has edits that are nowhere else, remove is refused with a list of files: tell the user, and set discard_changes: true only if they agree.",
  recover:
    "after a refusal you are still in the worktree: commit or copy what is needed, then call it again with keep, or with discard_changes: true.",
  limits:
    "only the main conversation can do it. A worktree that Troupe did not create can only be kept. Nothing is merged: say how to do it, or ask.",
};

export function exitWorktreeTool(service: WorktreeService): Tool<Input, Left, CallContext> {
  return {
    name: "ExitWorktree",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "write",
    // Other calls would not know in which directory they run.
    parallel: false,
    title: ({ action, discard_changes }) =>
      action === "keep" ? "keep it" : `remove it${discard_changes ? ", with its changes" : ""}`,
    async call({ action, discard_changes }, context) {
      const left = await service.exit(action, discard_changes, context);
      switch (left.type) {
        case "left":
          return left;
        case "refused":
          return failed(left.reason);
        case "unsaved":
          return failed(unsavedText(left.files));
        default:
          return left satisfies never;
      }
    },
    mapToolResultToToolResultBlockParam: leftText,
  };
}

function unsavedText(files: readonly string[]): string {
  const more = files.length - MAX_NAMED;
  return [
    "The worktree was not removed, and you are still in it: these files have edits that are nowhere else.",
    ...files.slice(0, MAX_NAMED).map((file) => `- ${file}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Tell the user. Call ExitWorktree with action keep to leave it as it is, or with discard_changes: true if they agree to lose them.",
  ].join("\n");
}

function leftText({ cwd, branch, path, removed }: Left): string {
  const on = branch === null ? "" : `, with branch ${branch}`;
  const outcome =
    removed === null
      ? `The worktree ${path} is kept as it is${on}; EnterWorktree with its path enters it again.`
      : `The worktree ${path} is removed${on}. To restore its contents: troupe worktrees restore ${removed}`;
  return `You have left the worktree; the working directory is ${cwd} again.\n${outcome}`;
}
