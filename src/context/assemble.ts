import type { ContentBlockParam, MessageParam, Picture, ToolDefinition } from "../mailbox/conversation.ts";
import { type Environment, environmentBlock } from "./environment.ts";

/**
 * A list of names that a model chooses from: agents, skills, tools it may ask for. `inline`: among what is stable.
 * `attached`: in a message, so that a change of it leaves the cached prefix as it is.
 */
export interface Index {
  readonly text: string;
  readonly placement: "inline" | "attached";
}

/** All that a request is made of. */
export interface Ingredients<Tool extends ToolDefinition = ToolDefinition> {
  readonly role: string;
  readonly environment: Environment;
  /** What else is to be said of the place, such as that it is a worktree, and how things are there. */
  readonly place: string;
  readonly memory: string | null;
  readonly tools: readonly Tool[];
  readonly deferredTools: Index | null;
  readonly skills: Index | null;
  readonly history: readonly MessageParam[];
  readonly turn: UserTurn;
}

/** What the person says, and what is told with it: the date, the state of the repository, files it names. */
export interface UserTurn {
  readonly attached: readonly string[];
  readonly pictures: readonly Picture[];
  readonly prompt: string;
}

/** One of the eight parts; an empty one is not sent. */
export type Part<Tool extends ToolDefinition = ToolDefinition> =
  | { readonly name: StablePart; readonly place: "system" | "attached"; readonly text: string }
  | { readonly name: "tool schemas"; readonly place: "tools"; readonly tools: readonly Tool[] }
  | { readonly name: "history"; readonly place: "messages"; readonly messages: readonly MessageParam[] }
  | ({ readonly name: "user turn"; readonly place: "messages" } & UserTurn);

type StablePart = "system prompt" | "environment" | "memory" | "deferred tools" | "skills";

/** The parts of a request in their order (A2.1), what is stable before what changes. */
export function assemble<Tool extends ToolDefinition>(of: Ingredients<Tool>): readonly Part<Tool>[] {
  return [
    { name: "system prompt", place: "system", text: of.role },
    { name: "environment", place: "system", text: placeWords(of) },
    { name: "memory", place: "system", text: of.memory ?? "" },
    { name: "tool schemas", place: "tools", tools: of.tools },
    indexPart("deferred tools", of.deferredTools),
    indexPart("skills", of.skills),
    { name: "history", place: "messages", messages: of.history },
    { name: "user turn", place: "messages", ...of.turn },
  ];
}

/** The blocks of the system prompt: byte-identical between turns, and between agents of a type. */
export function systemOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.place === "system" && part.text !== "" ? [part.text] : []));
}

/** The conversation: its history, and the turn with all that is attached to it. */
export function messagesOf(parts: readonly Part[]): MessageParam[] {
  const attached = parts.flatMap((part) =>
    part.place === "attached" && part.text !== "" ? [part.text] : [],
  );
  return parts.flatMap((part): readonly MessageParam[] => {
    if (part.name === "history") return part.messages;
    return part.name === "user turn" ? [userMessage([...attached, ...part.attached], part)] : [];
  });
}

/** A text alone where nothing is attached. */
function userMessage(
  attached: readonly string[],
  { pictures, prompt }: Pick<UserTurn, "pictures" | "prompt">,
): MessageParam {
  if (attached.length === 0 && pictures.length === 0) return { role: "user", content: prompt };
  const reminder: ContentBlockParam[] =
    attached.length === 0 ? [] : [{ type: "text", text: reminderOf(attached) }];
  return { role: "user", content: [...reminder, ...pictures, { type: "text", text: prompt }] };
}

export function reminderOf(texts: readonly string[]): string {
  return `<system-reminder>\n${texts.join("\n\n")}\n</system-reminder>`;
}

function placeWords({ environment, place }: Pick<Ingredients, "environment" | "place">): string {
  return [environmentBlock(environment), place].filter(Boolean).join("\n\n");
}

function indexPart(name: "deferred tools" | "skills", index: Index | null): Part<never> {
  if (index === null) return { name, place: "system", text: "" };
  return { name, place: index.placement === "inline" ? "system" : "attached", text: index.text };
}
