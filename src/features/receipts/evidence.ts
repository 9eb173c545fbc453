import type { ContentBlockParam, MessageParam, ToolResultBlockParam } from "../../mailbox/conversation.ts";
import type { ActorSpec, ReadEntry, Turn } from "../../mailbox/messages.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import { plainPath } from "./paths.ts";

/** A file whose content the agent saw; `spans`: these lines of it, or null for all. */
export interface SeenFile {
  readonly path: string;
  readonly spans: readonly { readonly from: number; readonly to: number }[] | null;
}

/** Everything that an agent saw and did, from the runtime's records; nothing here is the agent's own claim. */
export interface Evidence {
  /** Its directories: prefixes of paths in them do not count. */
  readonly folders: readonly string[];
  readonly files: readonly SeenFile[];
  /** Every text it saw: prompts, memory, results; of a fork also what was said before it started. */
  readonly texts: readonly string[];
  /** What it wrote into calls: evidence of what was said, not of what exists. */
  readonly inputs: readonly string[];
  /** Commands that it ran. */
  readonly commands: readonly string[];
  /** Calls that ran; before a fork's start, those with a result. */
  readonly calls: number;
}

export type Remembered = Pick<ActorSpec, "system" | "messages" | "inherited" | "root" | "heard"> & {
  readonly turns: readonly Turn[];
};

/** Tools that show names or single lines of a file in their input, not all of it. */
const SHOWS_PARTS: ReadonlySet<string> = new Set("Read Grep Glob LS Agent Task Bash ToolSearch".split(" "));
const FILE_TOOLS: ReadonlySet<string> = new Set(["Read", "Grep", "Glob", "Write", "Edit", "NotebookEdit"]);

interface Made {
  readonly files: SeenFile[];
  readonly texts: string[];
  readonly inputs: string[];
  readonly commands: string[];
  calls: number;
}

export function evidenceOf({ turns, ...spec }: Remembered, folders: readonly string[]): Evidence {
  const made: Made = { files: [], texts: [...spec.system], inputs: [], commands: [], calls: 0 };
  const reads = [...(spec.inherited?.reads ?? []), ...turns.flatMap((turn) => turn.reads)];
  take(spec.messages, true, made, folders);
  for (const turn of turns) {
    for (const { text, reads: shown = [] } of turn.heard) {
      made.texts.push(text);
      reads.push(...shown);
    }
    take(turn.messages, false, made, folders);
    made.calls += Object.values(turn.receipts.tools).reduce((sum, count) => sum + count, 0);
    made.commands.push(...turn.receipts.commands.map(({ command }) => command));
  }
  for (const { text } of spec.heard) made.texts.push(text);
  made.files.push(...reads.map((entry) => seenFile(entry, folders)));
  return { folders, ...made };
}

function seenFile({ path, lines }: ReadEntry, folders: readonly string[]): SeenFile {
  const spans = lines === undefined ? null : [{ from: lines.from, to: lines.from + lines.count - 1 }];
  return { path: plainPath(path, folders), spans };
}

interface CallMade {
  readonly name: string;
  readonly values: readonly string[];
  readonly command: string | null;
}

function take(
  messages: readonly MessageParam[],
  inherited: boolean,
  made: Made,
  folders: readonly string[],
): void {
  const calls = new Map<string, CallMade>();
  for (const message of messages) {
    for (const block of blocksOf(message)) {
      if (block.type === "tool_use") calls.set(block.id, callOf(block.name, block.input));
      else if (block.type === "tool_result")
        answered(block, calls.get(block.tool_use_id), inherited, made, folders);
      else if (block.type === "text" && (message.role === "user" || inherited)) made.texts.push(block.text);
    }
  }
}

function answered(
  block: ToolResultBlockParam,
  call: CallMade | undefined,
  inherited: boolean,
  made: Made,
  folders: readonly string[],
): void {
  const text = textOfResult(block);
  if (call === undefined) {
    made.texts.push(text);
    return;
  }
  const { name, values, command } = call;
  const failed = block.is_error === true;
  if (inherited) made.calls += 1;
  made.inputs.push(...values);
  made.texts.push(failed && FILE_TOOLS.has(name) ? withoutNames(text, values, folders) : text);
  // A command may have failed and still have shown its output; a name that a search did not find does not exist.
  if (command !== null) {
    made.texts.push(command);
    // For the agent's own turns the receipts know which of them ran.
    if (inherited || name !== "Bash") made.commands.push(command);
  }
  if (failed || (SHOWS_PARTS.has(name) && !(inherited && name === "Read"))) return;
  for (const value of values) {
    if (value.length < 400 && value.includes(".") && !/\s/.test(value))
      made.files.push({ path: plainPath(value, folders), spans: null });
  }
}

function callOf(name: string, input: unknown): CallMade {
  const fields = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const values = fields.flatMap(([, value]) => strings(value));
  const command = fields.find(([field, value]) => field === "command" && typeof value === "string")?.[1];
  return { name, values, command: typeof command === "string" ? command : null };
}

/** Also in lists and objects, as servers take them, to a limited depth. */
function strings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 3) return [];
  return Object.values(value).flatMap((one) => strings(one, depth + 1));
}

/** Removes the requested names: a file's name in the answer that it does not exist is no evidence. */
function withoutNames(text: string, values: readonly string[], folders: readonly string[]): string {
  return values
    .filter((value) => value.length > 2)
    .reduce((rest, value) => rest.replaceAll(value, " ").replaceAll(plainPath(value, folders), " "), text);
}

function textOfResult({ content = "" }: ToolResultBlockParam): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (isText(block) ? [block.text] : [])).join("\n");
}

function isText(block: { readonly type: string }): block is Extract<ContentBlockParam, { type: "text" }> {
  return block.type === "text";
}
