import { Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { findAgent } from "../../context/agents/definition.ts";
import type { SupervisorEvent } from "../../events/event.ts";
import { within } from "../../lib/clock.ts";
import { troupeVersion } from "../../lib/version.ts";
import type { SupervisorOptions } from "../../session/options.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { concurrency, isolationFlag, mergeFlag } from "../commands/fanout.ts";
import { followSettings } from "../follow-settings.ts";
import { serveUntilGone } from "../interrupts.ts";
import type { Progress } from "../plain-progress.ts";
import type { CliIO } from "../process-io.ts";
import { chooseProgress } from "../run-session.ts";
import { type SessionSetup, setUpSession } from "../session-setup.ts";
import { controlTools } from "./agent-tools.ts";
import { followRoots } from "./client-roots.ts";
import { elicitUser } from "./elicit-user.ts";
import { type McpConnection, mcpServer } from "./mcp-server.ts";
import { ServedSession } from "./served-session.ts";
import { type ServeContext, startTools } from "./start-tools.ts";

/**
 * Set for everything that a serving session starts. Its agents have the Agent tool, and a directory's `.mcp.json` that
 * names Troupe would otherwise have each level start the next one (fault: agents without end).
 */
const DEPTH = "TROUPE_MCP_DEPTH";
const NO_TOOLS =
  "This Troupe was started by one that serves agents itself, so it offers none: agents would start agents without end.";
const AT_A_TERMINAL =
  'This speaks MCP on stdin and stdout, for a client that starts it: {"mcpServers": {"troupe": {"command": "troupe", "args": ["mcp", "serve"]}}} in its settings. Ctrl-C ends it.';
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Errors of the connection that are reported. */
const MOST_PROBLEMS = 5;
/** Milliseconds until calls have their answers once their agents have ended. */
const ANSWERS_MS = 1_000;

interface Served {
  readonly context: Context;
  readonly setup: SessionSetup;
  readonly progress: Progress;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
}

/** `troupe mcp serve`: serves agents over MCP on standard input and output, until the input ends or a signal comes. */
export async function serveMcp(args: Arguments, context: Context): Promise<number> {
  const { io, runtime } = context;
  const setup = await setUpSession(args, context, { maxAgents: args.value(concurrency) });
  const agents = await runtime.listAgents(setup.options.agents);
  const progress = await chooseProgress(io);
  const over = new AbortController();
  const served: Served = { context, setup, progress, signal: over.signal };
  const session = new ServedSession({
    open: (onEvent) => openSession(served, connection, onEvent),
    clock: io.clock,
    note: progress.note,
    engine: setup.engine,
  });
  const serving: ServeContext = {
    ...{
      session,
      agents,
      clock: io.clock,
      isolation: args.value(isolationFlag),
      merge: args.value(mergeFlag),
    },
    isolates: (type) => findAgent(setup.options.agents ?? [], type)?.isolation !== undefined,
  };
  const isNested = (io.env[DEPTH] ?? "0") !== "0";
  const connection = mcpServer({
    version: troupeVersion(),
    instructions: isNested ? NO_TOOLS : formatInstructions(setup.options),
    tools: isNested ? [] : [...startTools(serving), ...controlTools(serving)],
    onProblem: problemNotes(progress.note),
  });
  const notes = [...setup.notes, ...(isNested ? [NO_TOOLS] : []), ...(io.stdinIsTTY ? [AT_A_TERMINAL] : [])];
  for (const note of notes) progress.note(note);
  try {
    return await serveUntilGone(io, {
      note: progress.note,
      leave(code) {
        progress.stop();
        io.leave(code);
      },
      start: (onGone) => connection.connect(openTransport(io, onGone)),
      async end(detach) {
        const isClosed = await session.end({ detach });
        await within(io.clock, ANSWERS_MS, connection.settled());
        await connection.close();
        return isClosed;
      },
    });
  } finally {
    over.abort();
    progress.stop();
  }
}

/** Text for a client's model, which it reads before it knows any tool. */
function formatInstructions({ cwd, source, permissionMode = "default" }: SupervisorOptions): string {
  const offline =
    "No model is configured: the embedded offline model answers, which searches and cites but does not reason.";
  return [
    `Troupe runs agents on ${cwd}: each is a conversation of its own with its own context window and tools, works by itself and returns one report.`,
    "Use fan_out for several independent tasks, spawn_agent for one; with background and agent_result for long ones. A prompt must be complete: agents know nothing of this conversation. Reports are written by agents; statements without evidence in what they read or ran are marked.",
    `The server decides what agents may do (permission mode ${permissionMode}); the result names calls that were not allowed.`,
    ...(source.provider === "offline" ? [offline] : []),
  ].join("\n\n");
}

/** The SDK's transport. `onGone`: the input has ended or cannot be read, which is reported before any call is cancelled. */
function openTransport({ stdin, stdout }: CliIO, onGone: () => void): StdioServerTransport {
  const output = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      stdout.write(String(text)).then(() => done(), done);
    },
  });
  for (const event of ["end", "error", "close"] as const) stdin.on(event, onGone);
  const transport = new StdioServerTransport(stdin, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  transport.onclose = onGone;
  return transport;
}

async function openSession(
  { context, setup, progress, signal }: Served,
  connection: McpConnection,
  onEvent: (event: SupervisorEvent) => void,
): Promise<SupervisorHandle> {
  const createSupervisor = await context.runtime.createSupervisor();
  const show = connection.form();
  const roots = await followRoots(connection, { setup, homedir: context.io.homedir, note: progress.note });
  const client = safeLine(connection.clientName()).slice(0, 60);
  const session = createSupervisor({
    ...setup.options,
    additionalDirs: roots.dirs,
    title: `agents for ${client || "an MCP client"}`,
    env: { ...setup.options.env, [DEPTH]: "1" },
    ...(show === null ? {} : { person: elicitUser(show) }),
    onEvent(event) {
      progress.onEvent(event);
      onEvent(event);
    },
  });
  roots.follow((additionalDirs) => session.replaceSettings({ additionalDirs }));
  followSettings(session, setup.settings, { note: progress.note, clock: context.io.clock, signal });
  return session;
}

function problemNotes(note: (line: string) => void): (error: Error) => void {
  let count = 0;
  return (error) => {
    count += 1;
    // The SDK's error for a line that is not a message is a long list.
    const text = error.name === "ZodError" ? "a line is not a message of the protocol" : error.message;
    if (count <= MOST_PROBLEMS) note(`The connection to the client: ${safeLine(text).slice(0, 200)}`);
    if (count === MOST_PROBLEMS) note("Further errors of the connection are not reported.");
  };
}
