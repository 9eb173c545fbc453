import { digestOf } from "../../context/digest.ts";
import { escapeTags } from "../../context/escape-tags.ts";
import type { Reference } from "../../context/references.ts";
import type { PromptMessage } from "../../mcp/mcp.ts";
import type { TypedPrompt } from "../skills/session-skills.ts";
import { promptUsage, type ServerPrompt } from "./server-service.ts";

/** The text typed after a prompt's name, by the names of its arguments. */
type Given =
  | { readonly type: "given"; readonly values: Readonly<Record<string, string>> }
  /** `reason` is a sentence. */
  | { readonly type: "wrong"; readonly reason: string };

/** Characters of a server's text for one argument. */
const MOST_CHARS = 120;

/** A word, or several in quotes; a quote within a word is a letter, because most of a prompt's arguments are prose. */
const WORD = /"((?:\\.|[^"\\])*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g;

/**
 * Parses arguments by position; the last one takes the rest of the line, so that a sentence needs no quotes. An empty
 * `""` leaves an optional one out.
 */
export function argumentsGiven(prompt: ServerPrompt, line: string): Given {
  const declared = prompt.arguments;
  const words = [...line.trim().matchAll(WORD)];
  const last = declared.length - 1;
  if (last < 0 && words.length > 0) return wrong(`/${prompt.name} takes no arguments.`);
  const values: [name: string, value: string][] = [];
  for (const [place, { name, required, description }] of declared.entries()) {
    const value = place === last && words.length > declared.length ? rest(words[place]) : word(words[place]);
    if (value !== "" || (required && place < words.length)) values.push([name, value]);
    else if (required) {
      const about = description === undefined ? "" : ` (${shortened(description)})`;
      return wrong(`/${prompt.name} needs ${name}${about}: write ${promptUsage(prompt)}.`);
    }
  }
  return { type: "given", values: Object.fromEntries(values) };
}

/**
 * Returns a filled-in prompt as a turn of the user. Assistant messages of a server become text, as only the model
 * speaks for itself. `call` distinguishes images of different calls.
 */
export function promptAsTurn(
  { name, server }: ServerPrompt,
  args: string,
  messages: readonly PromptMessage[],
  call: number,
): TypedPrompt {
  const said = messages.filter(({ text, pictures }) => text.trim() !== "" || pictures.length > 0);
  if (said.length === 0)
    return { type: "refused", reason: `The prompt /${name} of the MCP server "${server}" is empty.` };
  const isPlain = said.every(({ role }) => role === "user");
  const attached: Reference[] = [];
  const parts = said.map(({ role, text, pictures }) => {
    const places = pictures.map((picture) => {
      const place = `Image ${attached.length + 1} of /${name}`;
      const digest = digestOf(`${call} ${picture.source.data}`);
      attached.push({ fact: { key: `prompt:${place}`, digest, text: `Attached: ${place}.` }, picture });
      return `[${place} is here.]`;
    });
    const words = [escapeTags(text), ...places].filter((one) => one !== "").join("\n");
    return isPlain ? words : `[${role === "user" ? "User" : "Assistant"}]\n${words}`;
  });
  const text = [
    `<command-name>/${name}</command-name>`,
    ...(args === "" ? [] : [`<command-args>${escapeTags(args)}</command-args>`]),
    `<command-message>A prompt of the MCP server ${JSON.stringify(escapeTags(server))}, which the user called; what follows is its text.</command-message>`,
    "",
    parts.join("\n\n"),
  ].join("\n");
  // A server's text must not attach files of this machine.
  return { type: "prompt", text, mentions: args, attached };
}

function word(match: RegExpExecArray | undefined): string {
  const [, double, single, plain] = match ?? [];
  return double?.replace(/\\(["\\])/g, "$1") ?? single ?? plain ?? "";
}

/** Returns the line from this word on. */
function rest(match: RegExpExecArray | undefined): string {
  return match?.input.slice(match.index) ?? "";
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MOST_CHARS ? line : `${line.slice(0, MOST_CHARS).toWellFormed()}…`;
}

function wrong(reason: string): Given {
  return { type: "wrong", reason };
}
