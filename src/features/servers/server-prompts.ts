import { escapeTags } from "../../context/escape-tags.ts";
import { digestOf } from "../../context/facts.ts";
import type { Reference } from "../../context/references.ts";
import { type Clock, pause } from "../../lib/clock.ts";
import { nearNames } from "../../lib/near-name.ts";
import { oneLine, shorten } from "../../lib/text.ts";
import type { McpEvent, McpPrompt, PromptMessage, ServerStatus } from "../../mcp/mcp.ts";
import { promptCommands } from "../../mcp/names.ts";
import type { Mcp } from "../../mcp/open-mcp.ts";
import type { TypedPrompt } from "../skills/session-skills.ts";

/** A prompt of a server, as a user calls it. */
export interface ServerPrompt {
  readonly name: string;
  readonly server: string;
  readonly description?: string | undefined;
  readonly arguments: McpPrompt["arguments"];
}

/** Formats `/mcp__server__prompt <needed> [optional]`. */
export function promptUsage({ name, arguments: declared }: ServerPrompt): string {
  const places = declared.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`));
  return [`/${name}`, ...places].join(" ");
}

const CALL = /^\/(mcp__\S+)(?:\s+([\s\S]*))?$/;
/** The least time between requests to a server that keeps reporting changed prompts. */
const REFRESH_MS = 200;

type Servers = Pick<Mcp, "servers" | "listPrompts" | "getPrompt" | "onEvent">;

export function serverPrompts(mcp: Servers, clock: Clock, closing: AbortSignal) {
  const known = new Map<string, readonly McpPrompt[]>();
  const asking = new Set<string>();
  /** Servers to ask, for the first time or again. */
  const wanted = new Set<string>();
  let isFollowed = false;
  let calls = 0;

  function follow(): void {
    if (isFollowed) return;
    isFollowed = true;
    mcp.onEvent(hear);
    for (const { slug, state } of mcp.servers()) if (state.type === "connected") void look(slug);
  }

  function hear(event: McpEvent): void {
    if (event.type === "prompts") void look(event.server);
    if (event.type !== "state" || event.state.type === "starting") return;
    if (event.state.type === "connected") void look(event.server);
    else known.delete(event.server);
  }

  async function look(slug: string): Promise<void> {
    wanted.add(slug);
    if (asking.has(slug)) return;
    asking.add(slug);
    while (wanted.delete(slug) && !closing.aborted) {
      const listed = await mcp.listPrompts(slug, closing);
      if (listed.ok) known.set(slug, listed.value);
      await pause(clock, REFRESH_MS, closing);
    }
    asking.delete(slug);
  }

  /** Expands a line, or resolves with null if it calls no available prompt. Never rejects. */
  async function typed(line: string, signal: AbortSignal): Promise<TypedPrompt | null> {
    const [, word = "", args = ""] = CALL.exec(line.trim()) ?? [];
    const server = mcp.servers().find(({ slug }) => word.startsWith(`mcp__${slug}__`));
    if (server === undefined) return null;
    const listed = await mcp.listPrompts(server.slug, signal);
    if (!listed.ok) return refused(whyNot(mcp, server, listed.message));
    const there = commandsOf(server, listed.value);
    const found = named(word, there);
    if (found === undefined) return refused(noPrompt(word, server, there));
    const given = argumentsGiven(found.command, args);
    if (given.type === "wrong") return refused(given.reason);
    const { name } = found.prompt;
    const got = await mcp.getPrompt({ server: server.slug, name, arguments: given.values }, signal);
    if (!got.ok) return refused(whyNot(mcp, server, got.message));
    calls += 1;
    return promptAsTurn(found.command, args.trim(), got.value, calls);
  }

  return {
    /** Returns the known prompts; the first call starts the search. */
    now(): readonly ServerPrompt[] {
      follow();
      return mcp
        .servers()
        .flatMap((server) => commandsOf(server, known.get(server.slug) ?? []).map(({ command }) => command));
    },
    typed,
  };
}

interface Command {
  readonly command: ServerPrompt;
  readonly prompt: McpPrompt;
}

function commandsOf({ slug, name: server }: ServerStatus, prompts: readonly McpPrompt[]): Command[] {
  const names = promptCommands(
    slug,
    prompts.map(({ name }) => name),
  );
  return prompts.map((prompt, at) => ({
    prompt,
    command: {
      ...{ name: names[at] ?? "", server },
      ...{ description: prompt.description, arguments: prompt.arguments },
    },
  }));
}

/** Ignores case if that is unambiguous. */
function named(word: string, there: readonly Command[]): Command | undefined {
  const exact = there.find(({ command }) => command.name === word);
  if (exact !== undefined) return exact;
  const alike = there.filter(({ command }) => command.name.toLowerCase() === word.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

function noPrompt(word: string, { name }: ServerStatus, there: readonly Command[]): string {
  const head = `The MCP server "${name}" has no prompt /${word}.`;
  if (there.length === 0) return `${head} It has none at all.`;
  const names = there.map(({ command }) => command.name);
  const near = nearNames(word, names);
  const shown = near.length > 0 ? near : names.slice(0, 5);
  return `${head} ${near.length > 0 ? "Near it are" : "It has"}: ${shown.map((one) => `/${one}`).join(", ")}.`;
}

/** Returns the reason for the user, whose wording differs from that for a model. */
function whyNot(mcp: Pick<Mcp, "servers">, { slug }: ServerStatus, message: string): string {
  const state = mcp.servers().find((one) => one.slug === slug)?.state;
  return state?.type === "needs-auth" ? state.reason : message;
}

function refused(reason: string): TypedPrompt {
  return { type: "refused", reason };
}

/** The text typed after a prompt's name, by the names of its arguments. */
type Given =
  | { readonly type: "given"; readonly values: Readonly<Record<string, string>> }
  | { readonly type: "wrong"; readonly reason: string };

const MOST_CHARS = 120;

/** A word, or several in quotes; a quote within a word is a letter, because most of a prompt's arguments are prose. */
const WORD = /"((?:\\.|[^"\\])*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g;

/** Parses arguments by position; the last one takes the rest of the line. `""` leaves an optional one out. */
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
      const about = description === undefined ? "" : ` (${shorten(oneLine(description), MOST_CHARS)})`;
      return wrong(`/${prompt.name} needs ${name}${about}: write ${promptUsage(prompt)}.`);
    }
  }
  return { type: "given", values: Object.fromEntries(values) };
}

/** What a server says as the assistant becomes text: only the model speaks for itself. `call` tells images apart. */
function promptAsTurn(
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

function rest(match: RegExpExecArray | undefined): string {
  return match?.input.slice(match.index) ?? "";
}

function wrong(reason: string): Given {
  return { type: "wrong", reason };
}
