import type { ContentBlockParam, MessageParam, Picture, ToolDefinition } from "../mailbox/conversation.ts";
import type { Bounds } from "./compaction/bounds.ts";
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
    { name: "environment", place: "system", text: locationText(of) },
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

function locationText({ environment, place }: Pick<Ingredients, "environment" | "place">): string {
  return [environmentBlock(environment), place].filter(Boolean).join("\n\n");
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
