import { findAgent } from "../../actors/definitions/index.ts";
import { errorMessage } from "../../lib/errors.ts";
import { within } from "../../mailbox/clock.ts";
import type { SupervisorHandle } from "../../session/options.ts";
import type { SupervisorEvent } from "../../supervisor/view.ts";
import type { Arguments } from "../arguments.ts";
import { chooseProgress } from "../choose-progress.ts";
import type { Context } from "../command.ts";
import { concurrency, isolation, merge } from "../commands/fanout.ts";
import { exitCodes } from "../exit-codes.ts";
import { followSettings } from "../follow-settings.ts";
import { type Interrupts, watchInterrupts } from "../interrupts.ts";
import type { Progress } from "../plain-progress.ts";
import { safeLine } from "../safe-text.ts";
import { type SessionSetup, setUpSession } from "../session-setup.ts";
import { troupeVersion } from "../version.ts";
import { belowServing, isBelowServing } from "./depth.ts";
import { elicitUser } from "./elicit-user.ts";
import { instructionsFor } from "./instructions.ts";
import { LineTransport } from "./line-transport.ts";
import { type McpConnection, mcpServer } from "./mcp-server.ts";
import { ServedSession } from "./served-session.ts";
import type { ServedTool } from "./served-tool.ts";
import type { Serving } from "./serving.ts";
import { toolsOnAgents } from "./tools/agent-tools.ts";
import { listAgentTypes } from "./tools/list-agent-types.ts";
import { startTools } from "./tools/start-tools.ts";

const LEFT = "The client that asked for it has gone.";
const NO_TOOLS =
  "This Troupe was started by one that serves agents itself, so it offers none: agents would start agents without end.";
const AT_A_TERMINAL =
  'This speaks MCP on stdin and stdout, for a client that starts it: {"mcpServers": {"troupe": {"command": "troupe", "args": ["mcp", "serve"]}}} in its settings. Ctrl-C ends it.';
/** Lines that are no messages are told a few times, not for ever. */
const MOST_GARBAGE = 5;
/** Milliseconds in which calls have their answers once their agents have ended. */
const ANSWERS_MS = 1_000;

interface Served {
  readonly context: Context;
  readonly setup: SessionSetup;
  readonly progress: Progress;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
}

/** `troupe mcp serve`: agents for whoever speaks MCP on standard input and output, until its end or a signal. */
export async function serveMcp(args: Arguments, context: Context): Promise<number> {
  const { io, runtime } = context;
  const setup = await setUpSession(args, context, { maxAgents: args.value(concurrency) });
  const agents = await runtime.listAgents(setup.options.agents);
  const progress = chooseProgress(io);
  const over = new AbortController();
  const served: Served = { context, setup, progress, signal: over.signal };
  const session = new ServedSession({
    open: (onEvent) => openSession(served, connection, onEvent),
    clock: io.clock,
    note: progress.note,
  });
  const tools = isBelowServing(io.env)
    ? []
    : toolsOf({
        ...{ agents, clock: io.clock, isolation: args.value(isolation), merge: args.value(merge) },
        isolates: (type) => findAgent(setup.options.agents ?? [], type)?.isolation !== undefined,
        session: () => session.get(),
        opened: () => session.opened,
        onChange: (listener) => session.onChange(listener),
      });
  const connection = mcpServer({
    version: troupeVersion(),
    instructions: tools.length === 0 ? NO_TOOLS : instructionsFor(setup.options),
    tools,
    onProblem: progress.note,
  });
  const notes = [
    ...setup.notes,
    ...(tools.length === 0 ? [NO_TOOLS] : []),
    ...(io.stdinIsTTY ? [AT_A_TERMINAL] : []),
  ];
  for (const note of notes) progress.note(note);
  try {
    return await untilGone(served, connection, session);
  } finally {
    over.abort();
    progress.stop();
  }
}

function toolsOf(serving: Serving): readonly ServedTool[] {
  return [...startTools(serving), ...toolsOnAgents(serving), listAgentTypes(serving)];
}

/** The connection from its first message to its last; the answer is the exit code. */
async function untilGone(
  { context: { io }, progress }: Served,
  connection: McpConnection,
  session: ServedSession,
): Promise<number> {
  const gone = Promise.withResolvers<void>();
  const interrupts = watchInterrupts(io, {
    note: progress.note,
    leave(code) {
      progress.stop();
      io.leave(code);
    },
  });
  interrupts.signal.addEventListener("abort", () => gone.resolve(), { once: true });
  const onGarbage = garbageNotes(progress.note);
  try {
    await connection.connect(new LineTransport({ io, onGone: gone.resolve, onGarbage }));
    await gone.promise;
    const closed = await session.end({ leave: whyLeft(interrupts) });
    await within(io.clock, ANSWERS_MS, connection.settled());
    await connection.close();
    const code = interrupts.code() ?? exitCodes.done;
    if (!closed) io.leave(code);
    return code;
  } finally {
    interrupts.release();
  }
}

/** Null: a person wanted the agents stopped. A client that goes leaves them as they are, to be gone on with. */
function whyLeft({ code, signal }: Interrupts): string | null {
  if (code() === undefined) return LEFT;
  return code() === exitCodes.interrupted ? null : errorMessage(signal.reason);
}

async function openSession(
  { context, setup, progress, signal }: Served,
  connection: McpConnection,
  onEvent: (event: SupervisorEvent) => void,
): Promise<SupervisorHandle> {
  const createSupervisor = await context.runtime.createSupervisor();
  const show = connection.form();
  const client = safeLine(connection.clientName()).slice(0, 60);
  const session = createSupervisor({
    ...setup.options,
    title: `agents for ${client || "an MCP client"}`,
    env: { ...setup.options.env, ...belowServing },
    ...(show === null ? {} : { person: elicitUser(show) }),
    onEvent(event) {
      progress.onEvent(event);
      onEvent(event);
    },
  });
  followSettings(session, setup.settings, { note: progress.note, clock: context.io.clock, signal });
  return session;
}

function garbageNotes(note: (line: string) => void): (sentence: string) => void {
  let told = 0;
  return (sentence) => {
    told += 1;
    if (told <= MOST_GARBAGE) note(sentence);
    if (told === MOST_GARBAGE) note("More of that is left out without a word.");
  };
}
