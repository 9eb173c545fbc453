import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import type { EnteredWorktree, WorktreeService } from "./service.ts";
import { isWorktreeName, MAX_WORKTREE_NAME_CHARS } from "./worktree-name.ts";

const Input = z
  .strictObject({
    name: z.optional(
      z
        .string()
        .check(
          z.describe("Name of a new worktree (default: a generated one). Not together with path"),
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
          z.describe("Path of an existing worktree, as git worktree list shows it. Not together with name"),
        ),
    ),
  })
  .check(
    z.refine(({ name, path }) => name === undefined || path === undefined, {
      error: "must not be given together with name: name creates a worktree, path enters an existing one",
      path: ["path"],
    }),
  );
type Input = z.infer<typeof Input>;

type Entered = Exclude<EnteredWorktree, { type: "refused" }>;

const prompt: ToolPrompt = {
  what: "Creates a git worktree with its own branch and moves this conversation into it, or moves it into an existing worktree: what you do from then on is separate from the user's checkout.",
  when: "when the user asks for a worktree, or for work that is separate from their checkout.",
  whenNot: [
    "to create or change a branch (use git), or for a task in which the user did not mention worktrees.",
    naming`For an agent that works separately call ${"Agent"} with isolation "worktree": its edits are merged automatically.`,
  ],
  how: [
    "name is for a new one, path for an existing one; never both, and with neither a new one gets a name. A name may have segments: feat/foo is in the directory feat-foo.",
    "A new one starts with the state of the checkout, uncommitted changes included, unless settings say otherwise. Earlier paths are those of the checkout: use paths in the worktree that the result names.",
    naming`${"ExitWorktree"} leaves it.`,
  ],
  recover:
    "a name that is taken, or a path that git does not list, is refused with a list: choose another. Without a repository, continue without a worktree.",
  limits: `only the main conversation can do it, and it is in one worktree at a time. A name has at most ${MAX_WORKTREE_NAME_CHARS} characters. It is not merged into the checkout automatically.`,
};

export function enterWorktreeTool(service: WorktreeService): Tool<Input, Entered, CallContext> {
  return {
    name: "EnterWorktree",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "write",
    // Other calls would not know in which directory they run.
    parallel: false,
    title: ({ name, path }) => path ?? name ?? "a new worktree",
    async call({ name = null, path }, context) {
      const request =
        path === undefined ? ({ type: "new", name } as const) : ({ type: "existing", path } as const);
      const entered = await service.enter(request, context);
      return entered.type === "refused" ? failed(entered.reason) : entered;
    },
    mapToolResultToToolResultBlockParam: ({ path, branch, cwd, isNew, notes }) =>
      [
        `You are in the ${isNew ? "new " : ""}worktree ${path}${branch === null ? "" : `, on branch ${branch}`}. The working directory is ${cwd}.`,
        "Read and edit files by their paths in it; the user's checkout is out of reach until ExitWorktree.",
        ...notes,
      ].join("\n"),
  };
}
