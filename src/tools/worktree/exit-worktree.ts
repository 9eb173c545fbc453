import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import type { LeftWorktree, WorktreeService } from "./service.ts";

const Input = z.strictObject({
  action: z
    .enum(["keep", "remove"])
    .check(z.describe("Whether the worktree and its branch stay or go (required)")),
  discard_changes: z._default(
    z.boolean().check(z.describe("With remove: though it has edits that are nowhere else. Default: false")),
    false,
  ),
});
type Input = z.infer<typeof Input>;

type Left = Extract<LeftWorktree, { type: "left" }>;

/** Files that are named where they keep a worktree from being removed. */
const MAX_NAMED = 50;

const prompt: ToolPrompt = {
  what: "Leaves the worktree that this conversation works in; the working directory is again what it was before. The worktree is kept, or removed with its branch.",
  when: "when the work in the worktree is done, or the person wants to be back in their checkout.",
  whenNot: [
    "of your own accord in the middle of the work.",
    naming`Where you are in no worktree there is nothing to leave: ${"EnterWorktree"} comes first.`,
  ],
  how: "action keep leaves everything as it is on the disk; remove takes the worktree and its branch away. With edits in it that are nowhere else, remove is refused with the list of files: tell the person, and give discard_changes: true only when they agree.",
  recover:
    "after a refusal you are still in the worktree: commit or copy what is wanted, call it again with keep, or with discard_changes: true.",
  limits:
    "only the main conversation can do it. A worktree that somebody else made can only be kept. Nothing is merged: say how, or ask whether to.",
};

export function exitWorktreeTool(desk: WorktreeService): Tool<Input, Left, CallContext> {
  return {
    name: "ExitWorktree",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "write",
    // Calls beside it would not know which folder they run in.
    parallel: false,
    title: ({ action, discard_changes }) =>
      action === "keep" ? "keep it" : `remove it${discard_changes ? ", with its changes" : ""}`,
    accesses: () => [],
    async call({ action, discard_changes }, context) {
      const left = await desk.exit(action, discard_changes, context);
      switch (left.type) {
        case "left":
          return left;
        case "refused":
          return failed(left.reason);
        case "unsaved":
          return failed(unsavedWords(left.files));
        default:
          return left satisfies never;
      }
    },
    mapToolResultToToolResultBlockParam: leftWords,
  };
}

function unsavedWords(files: readonly string[]): string {
  const more = files.length - MAX_NAMED;
  return [
    "The worktree was not removed, and you are still in it: these files have edits that are nowhere else.",
    ...files.slice(0, MAX_NAMED).map((file) => `- ${file}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Tell the person. Call ExitWorktree with action keep to leave it as it is, or with discard_changes: true once they agree that it goes.",
  ].join("\n");
}

function leftWords({ cwd, branch, path, removed }: Left): string {
  const on = branch === null ? "" : `, with branch ${branch}`;
  const became =
    removed === null
      ? `The worktree ${path} is kept as it is${on}; EnterWorktree with its path enters it again.`
      : `The worktree ${path} is removed${on}. What was in it can be put back: troupe worktrees restore ${removed}`;
  return `You are out of the worktree; the working directory is ${cwd} again.\n${became}`;
}
