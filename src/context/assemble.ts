import type { ContentBlockParam, MessageParam, Picture, ToolDefinition } from "../mailbox/conversation.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import type { Bounds } from "./compaction/bounds.ts";
import { tokensOfBlocks, tokensOfMessages, tokensOfPrefix, tokensOfText } from "./compaction/tokens.ts";
import { roundTokens } from "./limit-results.ts";

/**
 * A list that a model chooses from: agents, skills, deferred tools. `inline`: in the system prompt. `attached`: in a
 * message, so that a change of it leaves the cached prefix as it is.
 */
export interface Index {
  readonly text: string;
  readonly placement: "inline" | "attached";
}

/** Everything a request is built from. */
export interface Ingredients<Tool extends ToolDefinition = ToolDefinition> {
  readonly role: string;
  readonly environment: Environment;
  /** More about the location, such as that it is a worktree. */
  readonly place: string;
  readonly memory: string | null;
  readonly tools: readonly Tool[];
  readonly deferredTools: Index | null;
  readonly skills: Index | null;
  readonly history: readonly MessageParam[];
  readonly turn: UserTurn;
}

/** The user's prompt with its attachments: the date, the state of the repository, files it names. */
export interface UserTurn {
  readonly attached: readonly string[];
  readonly pictures: readonly Picture[];
  readonly prompt: string;
}

/** One of the eight parts; empty ones are not sent. */
export type Part<Tool extends ToolDefinition = ToolDefinition> =
  | { readonly name: StablePart; readonly place: "system" | "attached"; readonly text: string }
  | { readonly name: "tool schemas"; readonly place: "tools"; readonly tools: readonly Tool[] }
  | { readonly name: "history"; readonly place: "messages"; readonly messages: readonly MessageParam[] }
  | ({ readonly name: "user turn"; readonly place: "messages" } & UserTurn);

type StablePart = "system prompt" | "environment" | "memory" | "deferred tools" | "skills";

/** Returns the parts of a request in their order (A2.1), the stable ones first. */
export function assemble<Tool extends ToolDefinition>(of: Ingredients<Tool>): readonly Part<Tool>[] {
  return [
    { name: "system prompt", place: "system", text: of.role },
    {
      name: "environment",
      place: "system",
      text: [environmentBlock(of.environment), of.place].filter(Boolean).join("\n\n"),
    },
    { name: "memory", place: "system", text: of.memory ?? "" },
    { name: "tool schemas", place: "tools", tools: of.tools },
    indexPart("deferred tools", of.deferredTools),
    indexPart("skills", of.skills),
    { name: "history", place: "messages", messages: of.history },
    { name: "user turn", place: "messages", ...of.turn },
  ];
}

/** Returns the blocks of the system prompt: the same bytes between turns, and between agents of a type. */
export function systemOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.place === "system" && part.text !== "" ? [part.text] : []));
}

/** Returns the history, and the turn with its attachments. */
export function messagesOf(parts: readonly Part[]): MessageParam[] {
  const attached = parts.flatMap((part) =>
    part.place === "attached" && part.text !== "" ? [part.text] : [],
  );
  return parts.flatMap((part): readonly MessageParam[] => {
    if (part.name === "history") return part.messages;
    return part.name === "user turn" ? [userMessage([...attached, ...part.attached], part)] : [];
  });
}

function userMessage(
  attached: readonly string[],
  { pictures, prompt }: Pick<UserTurn, "pictures" | "prompt">, // word-ok: a field of the journal
): MessageParam {
  if (attached.length === 0 && pictures.length === 0) return { role: "user", content: prompt };
  const reminder: ContentBlockParam[] =
    attached.length === 0 ? [] : [{ type: "text", text: reminderOf(attached) }];
  return { role: "user", content: [...reminder, ...pictures, { type: "text", text: prompt }] };
}

export function reminderOf(texts: readonly string[]): string {
  return `<system-reminder>\n${texts.join("\n\n")}\n</system-reminder>`;
}

function indexPart(name: "deferred tools" | "skills", index: Index | null): Part<never> {
  if (index === null) return { name, place: "system", text: "" };
  return { name, place: index.placement === "inline" ? "system" : "attached", text: index.text };
}

/** What an agent knows about its environment; stable for the session, so that the prefix is cached (A22.20). */
interface Environment {
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly platform: string;
  readonly model: string;
  /** Tokens that results may have in the model's window. */
  readonly limits: Pick<Bounds, "result" | "results">;
}

function environmentBlock({ cwd, additionalDirs, platform, model, limits }: Environment): string {
  const lines = [
    "Environment",
    `Working directory: ${cwd}`,
    ...additionalDirs.map((dir) => `Additional directory: ${dir}`),
    `Platform: ${platform}`,
    `Model: ${model}`,
    `One tool result has at most about ${roundTokens(limits.result)} tokens here, all results of one reply ${roundTokens(limits.results)}; what is longer is cut, and says so. Read long files in parts and narrow searches.`,
    "Paths given to tools are absolute. Cite code as path:line, with the path relative to the working directory.",
  ];
  return lines.join("\n");
}

/** The sections of the main conversation's role, in their order (A2.2). */
export const mainSections = {
  identity:
    "You are Troupe, a coding agent that works in a user's repository and can put a troupe of agents to work.",
  tasks: `How to work
- Read before you answer or change anything; say what you know from the code and what you assume.
- Do what was asked, all of it and nothing else.
- Calls that do not depend on each other go into one reply: they run at the same time.
- Use the Agent tool for searches that would fill this conversation with detail, one agent for each independent question, all in one reply. Understanding is yours: give each agent a task that stands alone, and draw the conclusions yourself.
- An agent's report comes from the agent, not from the user: check what matters before you rely on it.`,
  code: `How to write code
- Write like the code around it: its names, style, libraries and tests. Look at a similar file before you write.
- No more than the task needs: no option, layer or fallback that was not requested. Delete what is no longer used.
- A comment says why, if the code cannot; none repeats the code.
- Run what checks the change (tests, types, linter) if it exists, and report the result.
- Keys and passwords appear neither in code nor in what you write about it.`,
  tone: `How to answer
- The result first, in plain language, as short as the question allows.
- Cite code as path:line. Say what failed or was not done.
- No praise, no apology, no announcement of what comes next.`,
} as const;

export type MainSection = keyof typeof mainSections;

/** Returns the main conversation's role, without some sections if a test wants it so. */
export function mainRole(without: readonly MainSection[] = []): string {
  return Object.entries(mainSections)
    .filter(([name]) => !without.some((left) => left === name))
    .map(([, text]) => text)
    .join("\n\n");
}

/**
 * Describes the agent's worktree, always in the same bytes, so that the prefix stays cached (A22.20).
 */
export function worktreeText({
  path,
  branch,
  checkout,
  head,
}: Pick<Worktree, "path" | "branch" | "checkout" | "head">): string {
  const begin = head === null ? "the files of a checkout without commits" : `HEAD ${head}`;
  return [
    "Worktree",
    `You work in your own git worktree: ${path}, on branch ${branch}, created from ${begin} plus the uncommitted changes there.`,
    `The main checkout is ${checkout}. A path in it that you find or get means the same file here: ${checkout}/a/b is ${path}/a/b. Nothing outside your worktree may be written, and you do not see changes that others make.`,
    "When you end, your edits are merged into the main checkout from the files as you leave them, committed or not. So do not commit unless you are asked to, do not stash, and leave branches, tags, remotes, worktrees and git's configuration as they are: they are shared with the user.",
  ].join("\n");
}

/** Estimates the tokens of a part. */
export function tokensOfPart(part: Part): number {
  switch (part.place) {
    case "system":
    case "attached":
      return part.text === "" ? 0 : tokensOfPrefix([part.text], []);
    case "tools":
      return tokensOfPrefix([], part.tools);
    case "messages":
      return part.name === "history"
        ? tokensOfMessages(part.messages)
        : tokensOfBlocks(part.pictures) +
            [...part.attached, part.prompt].reduce((sum, text) => sum + tokensOfText(text), 0);
    default:
      return part satisfies never;
  }
}
