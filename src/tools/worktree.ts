import * as z from "zod/mini";
import { type CallContext, failed, naming, type Tool, type ToolPrompt } from "./tool.ts";

/** A new worktree with this name or a generated one, or an existing one by its path. */
export type WorktreeRequest =
  | { readonly type: "new"; readonly name: string | null }
  | { readonly type: "existing"; readonly path: string };

/** `reason` says what to do instead. */
export interface WorktreeRefused {
  readonly type: "refused";
  readonly reason: string;
}

/** `branch` is null if it is detached; `notes` say what the worktree does not have. */
export type EnteredWorktree =
  | {
      readonly type: "entered";
      readonly path: string;
      readonly branch: string | null;
      readonly cwd: string;
      readonly isNew: boolean;
      readonly notes: readonly string[];
    }
  | WorktreeRefused;

export type LeftWorktree =
  | {
      readonly type: "left";
      /** The working directory of the conversation. */
      readonly cwd: string;
      readonly branch: string | null;
      readonly path: string;
      /** The name under which it can be restored; null if it was kept. */
      readonly removed: string | null;
    }
  /** It has edits that are nowhere else, and discarding them was not requested. */
  | { readonly type: "unsaved"; readonly files: readonly string[] }
  | WorktreeRefused;

export type WorktreeAction = "keep" | "remove";

/** Moves the main conversation into a worktree and out again. */
export interface WorktreeService {
  enter(request: WorktreeRequest, context: CallContext): Promise<EnteredWorktree>;
  exit(action: WorktreeAction, discard: boolean, context: CallContext): Promise<LeftWorktree>;
}

/** Characters of a worktree's name (A3.23). */
export const MAX_WORKTREE_NAME_CHARS = 64;

/** True if a worktree may be requested by this name: segments between slashes (checklist A22.35). */
export function isWorktreeName(name: string): boolean {
  const isSegment = (segment: string) =>
    /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.\.?$|\.lock$/.test(segment);
  return name.length <= MAX_WORKTREE_NAME_CHARS && name.split("/").every(isSegment);
}

/** Returns the name of its directory and refs. Two names can map to one, so check whether it is taken. */
export function treeNameFor(name: string): string {
  return name.replaceAll("/", "-").replace(/^[.-]|\.(?=\.|$)/g, "_");
}

const EnterInput = z
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
type EnterInput = z.infer<typeof EnterInput>;

type Entered = Exclude<EnteredWorktree, { type: "refused" }>;

const enterPrompt: ToolPrompt = {
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

export function enterWorktreeTool(service: WorktreeService): Tool<EnterInput, Entered, CallContext> {
  return {
    name: "EnterWorktree",
    description: enterPrompt,
    inputSchema: EnterInput,
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

const ExitInput = z.strictObject({
  action: z
    .enum(["keep", "remove"])
    .check(z.describe("Whether to keep or remove the worktree and its branch (required)")),
  discard_changes: z._default(
    z.boolean().check(z.describe("With remove: even if it has edits that are nowhere else. Default: false")),
    false,
  ),
});
type ExitInput = z.infer<typeof ExitInput>;

type Left = Extract<LeftWorktree, { type: "left" }>;

/** Named files that prevent the removal of a worktree. */
const MAX_NAMED = 50;

const exitPrompt: ToolPrompt = {
  what: "Leaves the worktree of this conversation; the working directory is again the one before. The worktree is kept, or removed with its branch.",
  when: "when the work in the worktree is done, or the user wants to return to their checkout.",
  whenNot: ["in the middle of the work without being asked.", naming`Only after ${"EnterWorktree"}.`],
  how: "action keep leaves everything on the disk; remove deletes the worktree and its branch. If it has edits that are nowhere else, remove is refused with a list of files: tell the user, and set discard_changes: true only if they agree.",
  recover:
    "after a refusal you are still in the worktree: commit or copy what is needed, then call it again with keep, or with discard_changes: true.",
  limits:
    "only the main conversation can do it. A worktree that Troupe did not create can only be kept. Nothing is merged: say how to do it, or ask.",
};

export function exitWorktreeTool(service: WorktreeService): Tool<ExitInput, Left, CallContext> {
  return {
    name: "ExitWorktree",
    description: exitPrompt,
    inputSchema: ExitInput,
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
