import { troupeHome } from "../../journal/place.ts";
import { whyNoSessions } from "../../journal/usable-home.ts";
import { within } from "../../mailbox/clock.ts";
import { type RunningAs, whyNotAsRoot } from "../../policy/root-bypass.ts";
import { whyNotMode } from "../../policy/settings/mode-of.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { followSettings } from "../follow-settings.ts";
import type { CliIO } from "../io.ts";
import { safeLine } from "../safe-text.ts";
import type { AskTrust } from "../session-settings.ts";
import type { SessionSetup } from "../session-setup.ts";
import { troupeVersion } from "../version.ts";
import { chooseTerminal } from "./choose-terminal.ts";
import { Conversation } from "./conversation.ts";
import { type HistoryFile, openHistory } from "./history-file.ts";
import type { ReplSession } from "./repl-session.ts";
import { slashWords } from "./slash-commands.ts";
import type { Terminal } from "./terminal.ts";
import { askTrustAt } from "./trust-question.ts";
import { conversationLine } from "./turn-account.ts";
import { wrapText } from "./wrap.ts";

/** Milliseconds in which a session that is left must be closed; then the process ends without it. */
const CLOSE_MS = 10_000;

/**
 * A conversation in the terminal: from its first line until the person leaves (exit code 0), interrupts twice
 * (130), or is made to leave (SIGTERM 143, SIGHUP or a vanished terminal 129). Every agent has ended then.
 * `setUp` may ask whether the folder is trusted; what it throws is thrown before anything is shown.
 */
export async function runRepl(
  { io, runtime }: Context,
  setUp: (askTrust: AskTrust) => Promise<SessionSetup>,
): Promise<number> {
  const home = troupeHome(io.env, io.homedir);
  const why = whyNoSessions(home);
  if (why !== null) throw new Error(why);
  const [createSupervisor, history] = await Promise.all([runtime.createSupervisor(), openHistory(home)]);
  const open = lazily(() => openTalk(io, history));
  try {
    const setup = await setUp((question) => askTrustAt(open.get().talk.terminal)(question));
    const { talk } = open.get();
    if (talk.isLeaving) return await talk.left;
    // First of all: what the session warns of at its start stands below it.
    welcome(talk, setup, history);
    const session = createSupervisor({
      ...setup.options,
      person: talk.person,
      onEvent: (event) => talk.onEvent(event),
    });
    const following = new AbortController();
    try {
      const settings = followSettings(session, setup.settings, {
        note: (line) => talk.tell(line),
        ...{ clock: io.clock, signal: following.signal },
      });
      talk.begin({
        session,
        whyNot: (mode) => whyNotMode(mode, settings()) ?? whyNotAsRoot(mode, runningAs(io)),
        remember: (line) => void history.add(line),
      });
      return await talk.left;
    } finally {
      following.abort();
      await end(io, talk, session);
    }
  } finally {
    open.made()?.close();
  }
}

interface OpenTalk {
  readonly talk: Conversation;
  close(): void;
}

function openTalk(io: CliIO, { lines }: HistoryFile): OpenTalk {
  const talk = new Conversation(io, (listeners) =>
    chooseTerminal(io, { ...listeners, history: lines, completions: slashWords }),
  );
  const withdrawals = [
    io.onSignal("SIGINT", () => talk.interrupt()),
    io.onSignal("SIGTERM", () => talk.leave(exitCodes.terminated)),
    io.onSignal("SIGHUP", () => talk.leave(exitCodes.hungUp)),
  ];
  return {
    talk,
    close() {
      talk.terminal.close();
      for (const withdraw of withdrawals) withdraw();
    },
  };
}

/** Made when it is first asked for, if ever. */
function lazily<T>(make: () => T): { get(): T; made(): T | undefined } {
  let made: T | undefined;
  return { get: () => (made ??= make()), made: () => made };
}

/** Ends every agent, and the process where something of the session does not end. */
async function end(io: CliIO, { terminal, left }: Conversation, session: ReplSession): Promise<void> {
  const closed = await within(io.clock, CLOSE_MS, session.close());
  farewell(terminal, session);
  if (closed) return;
  terminal.print(`The session did not close within ${CLOSE_MS / 1000} s; leaving without it.`);
  terminal.close();
  io.leave(await left);
}

function runningAs({ runningAs: as = { uid: null, contained: false }, env }: CliIO): RunningAs {
  return { ...as, env };
}

function welcome(
  { terminal }: Conversation,
  { options, notes }: SessionSetup,
  { problem }: HistoryFile,
): void {
  const { paint, print, columns } = terminal;
  const model = options.source.provider === "offline" ? "offline model" : (options.model ?? "sonnet");
  const parts = [model, safeLine(options.cwd), ...(options.permissionMode ? [options.permissionMode] : [])];
  print(`${paint("bold", `troupe ${troupeVersion()}`)} ${paint("dim", `· ${parts.join(" · ")}`)}`);
  const hint = "/help lists the commands; Ctrl-C stops a turn, Ctrl-D leaves.";
  print(paint("dim", wrapText(hint, columns()).join("\n")));
  for (const note of problem === undefined ? notes : [...notes, problem])
    print(paint("yellow", wrapText(safeLine(note), columns()).join("\n")));
}

/** Nothing, where nothing was asked. */
function farewell(terminal: Terminal, session: ReplSession): void {
  const account = session.account();
  if (account.agents.length === 0) return;
  terminal.gap();
  terminal.print(terminal.paint("dim", conversationLine(account)));
}
