import { troupeHome } from "../../journal/place.ts";
import { within } from "../../mailbox/clock.ts";
import type { Person } from "../../policy/asks.ts";
import type { SupervisorOptions } from "../../supervisor/options.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { safeLine } from "../safe-text.ts";
import { troupeVersion } from "../version.ts";
import { chooseTerminal } from "./choose-terminal.ts";
import { Conversation } from "./conversation.ts";
import { openHistory } from "./history-file.ts";
import type { ReplSession, ReplSetup } from "./repl-session.ts";
import { slashWords } from "./slash-commands.ts";
import { askTrust } from "./trust-question.ts";
import { conversationLine } from "./turn-account.ts";
import { wrapText } from "./wrap.ts";

/** Milliseconds in which a session that is left must be closed; then the process ends without it. */
const CLOSE_MS = 10_000;

/**
 * A conversation in the terminal: from its first line until the person leaves (exit code 0), interrupts twice
 * (130), or is made to leave (SIGTERM 143, SIGHUP or a vanished terminal 129). Every agent has ended then.
 * `setUp` is asked once more where the person has just trusted the folder.
 */
export async function runRepl({ io, runtime }: Context, setUp: () => Promise<ReplSetup>): Promise<number> {
  const home = troupeHome(io.env, io.homedir);
  const untrusted = await setUp();
  const [createSupervisor, history] = await Promise.all([runtime.createSupervisor(), openHistory(home)]);
  const talk = new Conversation(io, (listeners) =>
    chooseTerminal(io, { ...listeners, history: history.lines, completions: slashWords }),
  );
  const release = onSignals(io, talk);
  let session: ReplSession | null = null;
  let code: number;
  try {
    const setup = await askTrust(talk.terminal, untrusted, setUp);
    const notes = [...setup.notes, ...(history.problem === undefined ? [] : [history.problem])];
    session = createSupervisor(
      withPerson({ ...setup.options, onEvent: (event) => talk.onEvent(event) }, talk.person),
    );
    welcome(talk, setup, notes);
    const startedIn = setup.options.permissionMode ?? "default";
    talk.begin({ session, startedIn, remember: (line) => void history.add(line) });
    code = await talk.left;
  } finally {
    const closing = session?.close();
    const closed = closing === undefined || (await within(io.clock, CLOSE_MS, closing));
    if (session) farewell(talk, session);
    talk.terminal.close();
    release();
    if (!closed) {
      await io.stderr.write(`The session did not close within ${CLOSE_MS / 1000} s; leaving without it.\n`);
      io.leave(exitCodes.notDone);
    }
  }
  return code;
}

/** The session asks this person. */
function withPerson(options: SupervisorOptions, person: Person): SupervisorOptions & { person: Person } {
  return { ...options, person };
}

function onSignals(io: CliIO, talk: Conversation): () => void {
  const withdrawals = [
    io.onSignal("SIGINT", () => talk.interrupt()),
    io.onSignal("SIGTERM", () => talk.leave(exitCodes.terminated)),
    io.onSignal("SIGHUP", () => talk.leave(exitCodes.hungUp)),
  ];
  return () => {
    for (const withdraw of withdrawals) withdraw();
  };
}

function welcome({ terminal }: Conversation, { options }: ReplSetup, notes: readonly string[]): void {
  const { paint, print, columns } = terminal;
  const model = options.source.provider === "offline" ? "offline model" : (options.model ?? "sonnet");
  const parts = [model, safeLine(options.cwd), ...(options.permissionMode ? [options.permissionMode] : [])];
  print(`${paint("bold", `troupe ${troupeVersion()}`)} ${paint("dim", `· ${parts.join(" · ")}`)}`);
  const hint = "/help lists the commands; Ctrl-C stops a turn, Ctrl-D leaves.";
  print(paint("dim", wrapText(hint, columns()).join("\n")));
  for (const note of notes) print(paint("yellow", wrapText(safeLine(note), columns()).join("\n")));
}

/** Nothing, where nothing was asked. */
function farewell({ terminal }: Conversation, session: ReplSession): void {
  const account = session.account();
  if (account.agents.length === 0) return;
  terminal.gap();
  terminal.print(terminal.paint("dim", conversationLine(account)));
}
