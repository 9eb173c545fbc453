import { isAbsolute } from "node:path";
import {
  type AgentConnection,
  type ClientCapabilities,
  type McpServer,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { eventsOf, type PastConversation } from "../../features/events/journal-events.ts";
import { within } from "../../lib/clock.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { todoOf } from "../../mailbox/turns.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { whyNotMode } from "../../settings/permissions.ts";
import { type Arguments, withFlags } from "../arguments.ts";
import type { Context } from "../command.ts";
import { followSettings } from "../follow-settings.ts";
import type { Option } from "../option.ts";
import { rootRefusal } from "../process-io.ts";
import { resumeFlags, sessionFlags } from "../session-flags.ts";
import { setUpSessionOrResume } from "../setup-or-resume.ts";
import { resumeHint, unfinishedText } from "../unfinished.ts";
import { userText } from "../user-text.ts";
import { acpClient } from "./acp-client.ts";
import { AcpSession } from "./acp-session.ts";
import { askClient } from "./ask-client.ts";
import { sessionUpdates, type UpdateParts } from "./session-updates.ts";

export interface AcpSessionsParts {
  readonly args: Arguments;
  readonly context: Context;
  connection(): AgentConnection;
  /** Of the client, as it said at the beginning. */
  capabilities(): ClientCapabilities;
  note(line: string): void;
}

/** What a client says of a session that it opens. */
export interface ClientSession {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[] | undefined;
  readonly additionalDirectories?: readonly string[] | undefined;
  /** It is resumed. */
  readonly sessionId?: string;
}

interface OpenSession {
  readonly session: AcpSession;
  readonly handle: SupervisorHandle;
  readonly following: AbortController;
  /** See `SessionSetup.engine`. */
  readonly engine: string | undefined;
}

/** Milliseconds for closing a session. */
const CLOSE_MS = 10_000;

/** The sessions of one connection, by ID. Each is set up as the command line would, with what the client says as flags. */
export class AcpSessions {
  readonly #parts: AcpSessionsParts;
  readonly #open = new Map<string, OpenSession>();
  readonly #opening = new Set<Promise<unknown>>();
  #isEnding = false;

  constructor(parts: AcpSessionsParts) {
    this.#parts = parts;
  }

  /** Returns a session of this connection. Throws the protocol's error for an unknown one. */
  find(id: string): AcpSession {
    const open = this.#open.get(id);
    if (open === undefined) throw RequestError.sessionNotFound(id);
    return open.session;
  }

  /** Ends the prompt of a session, if there is one. */
  cancel(id: string): void {
    this.#open.get(id)?.session.cancel();
  }

  /** Opens a session; `replay`: its client is shown the conversation before it. */
  async open(wanted: ClientSession, replay = false): Promise<{ id: string; session: AcpSession }> {
    if (this.#isEnding) throw RequestError.internalError(undefined, "This agent is ending.");
    if (wanted.sessionId !== undefined) await this.#closeBefore(wanted.sessionId);
    const opening = this.#openNow(wanted, replay);
    this.#opening.add(opening);
    return opening.finally(() => this.#opening.delete(opening));
  }

  /** Ends a session; it can be loaded again. An unknown one is an error of the protocol. */
  async close(id: string): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) throw RequestError.sessionNotFound(id);
    await this.#end(id, open, "Its client closed it.");
  }

  /** Ends all sessions, to be resumed if there is a reason. Returns false if that took too long. */
  async end(reason: string | null): Promise<boolean> {
    this.#isEnding = true;
    await Promise.allSettled(this.#opening);
    const ends = await Promise.all([...this.#open].map(([id, open]) => this.#end(id, open, reason)));
    return ends.every(Boolean);
  }

  /** An editor may load a session again, such as after it has shown another one. */
  async #closeBefore(id: string): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) return;
    if (open.session.isBusy)
      throw RequestError.invalidRequest(undefined, `Session ${id} still works on a prompt; cancel it first.`);
    await this.#end(id, open, "Its client loads it again.");
  }

  async #end(
    id: string,
    { handle, following, engine }: OpenSession,
    reason: string | null,
  ): Promise<boolean> {
    this.#open.delete(id);
    following.abort();
    const { note, context } = this.#parts;
    if (reason !== null) handle.detach(reason);
    const who = unfinishedText(handle.unfinished());
    if (who !== null)
      note(`${who} still at work; ${resumeHint(handle.session, undefined, undefined, { engine })}`);
    const isClosed = await within(context.io.clock, CLOSE_MS, handle.close());
    if (!isClosed) note(`Session ${id} did not close within ${CLOSE_MS / 1000} s.`);
    return isClosed;
  }

  async #openNow(wanted: ClientSession, replay: boolean): Promise<{ id: string; session: AcpSession }> {
    const { args, context, note, connection, capabilities } = this.#parts;
    const { io, runtime } = context;
    for (const path of [wanted.cwd, ...(wanted.additionalDirectories ?? [])])
      if (!isAbsolute(path))
        throw RequestError.invalidParams(undefined, `${JSON.stringify(path)} is not an absolute path.`);
    const setup = await setUpSessionOrResume(withFlags(args, flagsOf(wanted)), context, {});
    const { options } = setup;
    for (const line of setup.notes) note(line);
    const createSupervisor = await runtime.createSupervisor();
    const announced = new Set<string>();
    let session: AcpSession | null = null;
    let id = "";
    const client = acpClient(connection(), capabilities(), () => id);
    const handle = createSupervisor({
      ...options,
      person: options.person ?? askClient(client, announced),
      onEvent(event) {
        if (event.type === "warning") note(event.message);
        session?.onEvent(event);
      },
    });
    id = handle.session;
    const following = new AbortController();
    const settings = followSettings(handle, setup.settings, {
      note,
      clock: io.clock,
      signal: following.signal,
    });
    const before = options.resume?.state.actors.get(MAIN);
    const sharedTodos = () => handle.todos(null);
    session = new AcpSession({
      ...{ handle, announced, client, sharedTodos },
      todos: todoOf(before?.turns ?? []),
      whyNot: (mode) => whyNotMode(mode, settings()) ?? rootRefusal(mode, io),
    });
    this.#open.set(id, { session, handle, following, engine: setup.engine });
    if (replay && before !== undefined)
      for (const update of pastUpdates(before, sharedTodos)) client.show(update);
    return { id, session };
  }
}

/** Returns what a client is shown of a conversation before now: prompts, replies, calls with the first lines of their results. */
function pastUpdates(past: PastConversation, sharedTodos: UpdateParts["sharedTodos"]): SessionUpdate[] {
  const toUpdates = sessionUpdates({ announced: new Set(), todos: [], sharedTodos });
  return eventsOf(past).flatMap((event) => {
    if (event.type !== "prompt") return toUpdates(event);
    const text = userText(event);
    return text === "" ? [] : [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
  });
}

/** What the client says, as flags: one set of checks for both. */
function flagsOf({
  cwd,
  sessionId,
  mcpServers = [],
  additionalDirectories = [],
}: ClientSession): ReadonlyMap<Option<unknown>, readonly string[]> {
  const servers = Object.fromEntries(mcpServers.map((server) => [server.name, serverEntry(server)]));
  return new Map<Option<unknown>, readonly string[]>([
    [sessionFlags.cwd, [cwd]],
    [sessionFlags.addDir, additionalDirectories],
    [sessionFlags.mcpConfig, mcpServers.length === 0 ? [] : [JSON.stringify({ mcpServers: servers })]],
    [resumeFlags.resume, sessionId === undefined ? [] : [sessionId]],
  ]);
}

function serverEntry(server: McpServer): object {
  if (!("type" in server)) {
    const { command, args, env } = server;
    return { command, args, env: pairs(env) };
  }
  return { type: server.type, url: server.url, headers: pairs(server.headers) };
}

function pairs(all: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(all.map(({ name, value }) => [name, value]));
}
