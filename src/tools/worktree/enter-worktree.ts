import * as z from "zod/mini";
import { isWorktreeName, MAX_WORKTREE_NAME_CHARS } from "../../mailbox/worktree.ts";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import type { EnteredWorktree, WorktreeService } from "./service.ts";

const Input = z
  .strictObject({
    name: z.optional(
      z
        .string()
        .check(
          z.describe("Of a new worktree; absent: one is found. Not together with path"),
          z.refine(
            isWorktreeName,
            `must be segments between slashes, each of letters, digits, dots, underscores and dashes, none of them ., .. or ending in .lock; at most ${MAX_WORKTREE_NAME_CHARS} characters in all`,
          ),
        ),
    ),
    path: z.optional(
      z
        .string()
        .check(
          z.minLength(1),
          z.describe("Of a worktree that is there, as git worktree list has it. Not together with name"),
        ),
    ),
  })
  .check(
    z.refine(({ name, path }) => name === undefined || path === undefined, {
      error: "must not be given together with name: name makes a worktree, path enters one that is there",
      path: ["path"],
    }),
  );
type Input = z.infer<typeof Input>;

type Entered = Exclude<EnteredWorktree, { type: "refused" }>;

const prompt: ToolPrompt = {
  what: "Makes a git worktree with a branch of its own and moves this conversation into it, or moves it into a worktree that is there: what you do from then on stays apart from the person's checkout.",
  when: "when the person asks for a worktree, or for work that is kept apart from their checkout.",
  whenNot: [
    "to make or change a branch (use git), or for a task in which the person said nothing of worktrees: stay where you are.",
    naming`For an agent that works apart from you call ${"Agent"} with isolation "worktree": its edits come back by themselves.`,
  ],
  how: [
    "name is for a new one, path for one that is there; never both, and with neither a new one gets a name. A name may have segments: feat/foo stands in the directory feat-foo.",
    "A new one begins with what the checkout is now, uncommitted changes included, unless settings say otherwise. Paths of before are those of the checkout: use the ones of the worktree that the result names.",
    naming`${"ExitWorktree"} brings you back.`,
  ],
  recover:
    "a name that is taken, or a path that git does not list, is refused with what there is: choose another. Where there is no repository, go on without a worktree.",
  limits: `only the main conversation can do it, and it is in one worktree at a time. A name has at most ${MAX_WORKTREE_NAME_CHARS} characters. Nothing of it is merged into the checkout by itself.`,
};

export function enterWorktreeTool(desk: WorktreeService): Tool<Input, Entered, CallContext> {
  return {
    name: "EnterWorktree",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "write",
    // Calls beside it would not know which folder they run in.
    parallel: false,
    title: ({ name, path }) => path ?? name ?? "a new worktree",
    accesses: () => [],
    async call({ name = null, path }, context) {
      const wish =
        path === undefined ? ({ type: "new", name } as const) : ({ type: "existing", path } as const);
      const entered = await desk.enter(wish, context);
      return entered.type === "refused" ? failed(entered.reason) : entered;
    },
    mapToolResultToToolResultBlockParam: ({ path, branch, cwd, isNew, notes }) =>
      [
        `You are in the ${isNew ? "new " : ""}worktree ${path}${branch === null ? "" : `, on branch ${branch}`}. The working directory is ${cwd}.`,
        "Read and edit files by their paths in there; the person's checkout is out of reach until ExitWorktree.",
        ...notes,
      ].join("\n"),
  };
}
