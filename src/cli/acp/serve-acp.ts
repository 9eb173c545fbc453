import {
  type AgentApp,
  type AgentConnection,
  agent,
  type ClientCapabilities,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import { troupeHome } from "../../journal/paths.ts";
import { listSessions } from "../../journal/sessions.ts";
import { errorMessage } from "../../lib/errors.ts";
import { troupeVersion } from "../../lib/version.ts";
import { safeLine, safeText } from "../../terminal/safe-text.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { UsageError } from "../exit-codes.ts";
import { serveUntilGone } from "../interrupts.ts";
import type { CliIO } from "../process-io.ts";
import type { AcpSession } from "./acp-session.ts";
import { AcpSessions, type ClientSession } from "./acp-sessions.ts";

const AT_A_TERMINAL =
  "This speaks the Agent Client Protocol on stdin and stdout, for an editor that starts it: docs/acp.md shows what to write in its settings. Ctrl-C ends it.";

/** `troupe acp`: serves an editor on standard input and output, until the input ends or a signal comes. */
export async function serveAcp(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const note = (line: string): void => void io.stderr.write(`${safeLine(line)}\n`).catch(() => {});
  if (io.stdinIsTTY) note(AT_A_TERMINAL);
  let capabilities: ClientCapabilities = {};
  const sessions: AcpSessions = new AcpSessions({
    ...{ args, context, note },
    connection: () => connection,
    capabilities: () => capabilities,
  });
  const app = acpAgent(sessions, io, (said) => {
    capabilities = said;
  });
  const connection: AgentConnection = app.connect(openStream(io));
  return serveUntilGone(io, {
    ...{ note, leave: (code) => io.leave(code) },
    start: (onGone) => void connection.closed.then(onGone),
    async end(reason) {
      const isClosed = await sessions.end(reason);
      connection.close();
      return isClosed;
    },
  });
}

function openStream({ stdin, stdout }: CliIO): Stream {
  const output = new WritableStream<Uint8Array>({
    write: (line) => stdout.write(Buffer.from(line).toString("utf8")),
  });
  return ndJsonStream(output, ReadableStream.from<Uint8Array>(stdin));
}

function acpAgent(
  sessions: AcpSessions,
  io: CliIO,
  onCapabilities: (capabilities: ClientCapabilities) => void,
): AgentApp {
  const { session } = methods.agent;
  const open = (wanted: ClientSession, replay = false) =>
    inProtocol(async () => {
      const opened = await sessions.open(wanted, replay);
      // After the answer: before it, a client does not know the session.
      setImmediate(() => opened.session.sendCommands());
      return opened;
    });
  return agent({ name: "troupe" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      onCapabilities(params.clientCapabilities ?? {});
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "troupe", title: "Troupe", version: troupeVersion() },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true, image: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(session.new, async ({ params }) => {
      const { id, session: opened } = await open(params);
      return { sessionId: id, ...stateOf(opened) };
    })
    .onRequest(session.load, async ({ params }) => stateOf((await open(params, true)).session))
    .onRequest(session.resume, async ({ params }) => stateOf((await open(params)).session))
    .onRequest(session.list, ({ params }) => inProtocol(() => list(io, params.cwd ?? undefined)))
    .onRequest(session.close, async ({ params }) => {
      await sessions.close(params.sessionId);
      return {};
    })
    .onRequest(session.setMode, ({ params }) =>
      inProtocol(async () => {
        sessions.find(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      inProtocol(async () => ({
        configOptions: sessions.find(params.sessionId).setConfigOption(params.configId, params.value),
      })),
    )
    .onRequest(session.prompt, ({ params, signal }) =>
      inProtocol(() => sessions.find(params.sessionId).prompt(params.prompt, signal)),
    )
    .onNotification(session.cancel, ({ params }) => sessions.cancel(params.sessionId));
}

function stateOf(session: AcpSession) {
  return { modes: session.modes(), configOptions: session.configOptions() };
}

async function list(io: CliIO, cwd: string | undefined) {
  const { sessions } = await listSessions(troupeHome(io.env, io.homedir), cwd);
  return {
    sessions: sessions.map(({ id, cwd: about, title, changedAt }) => ({
      ...{ sessionId: id, cwd: about, updatedAt: changedAt },
      ...(title === "" ? {} : { title: safeLine(title) }),
    })),
  };
}

/** Runs what a request asks for; what it throws becomes an error of the protocol, with our sentence as its message. */
async function inProtocol<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const code = error instanceof UsageError ? -32_602 : -32_603;
    throw new RequestError(code, safeText(errorMessage(error)));
  }
}
