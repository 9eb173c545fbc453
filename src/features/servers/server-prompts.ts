import { nearNames } from "../../context/skills/find-skill.ts";
import { type Clock, pause } from "../../mailbox/clock.ts";
import type { Mcp, McpEvent, McpPrompt, ServerStatus } from "../../mcp/mcp.ts";
import { promptCommands } from "../../mcp/names.ts";
import type { TypedPrompt } from "../skills/session-skills.ts";
import { argumentsGiven, promptAsTurn } from "./prompt-words.ts";
import type { ServerPrompt } from "./server-service.ts";

/** The prompts of servers, as slash commands. */
export interface ServerPrompts {
  /** Returns the known prompts; the first call starts the search. */
  now(): readonly ServerPrompt[];
  /** Expands a line, or resolves with null if it calls no available prompt. Never rejects. */
  typed(line: string, signal: AbortSignal): Promise<TypedPrompt | null>;
}

/** A line that starts with the name of a prompt. */
const CALL = /^\/(mcp__\S+)(?:\s+([\s\S]*))?$/;
/** The least time between requests to a server that keeps reporting changed prompts. */
const REFRESH_MS = 200;

type Servers = Pick<Mcp, "servers" | "listPrompts" | "getPrompt" | "onEvent">;

/** `closing`: the session closes. */
export function serverPrompts(mcp: Servers, clock: Clock, closing: AbortSignal): ServerPrompts {
  /** By the server's slug. */
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
    now() {
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
  const names = there.map(({ command }) => command);
  const near = nearNames(word, names);
  const shown = near.length > 0 ? near : names.slice(0, 5).map((one) => one.name);
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
