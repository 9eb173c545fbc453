import type { SupervisorEvent } from "../../events/event.ts";
import { troupeHome } from "../../journal/paths.ts";
import { homeProblem } from "../../journal/private-files.ts";
import { within } from "../../lib/clock.ts";
import type { CloseReason, SupervisorHandle } from "../../session/supervisor-handle.ts";
import { userPlaces } from "../../settings/paths.ts";
import { whyNotMode } from "../../settings/permissions.ts";
import { isPlain } from "../../terminal/colour.ts";
import type { Keymap } from "../../terminal/input/keymap.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { followSettings } from "../follow-settings.ts";
import { LAST_CHANCE_MS } from "../interrupts.ts";
import { type CliIO, rootRefusal } from "../process-io.ts";
import type { AskTrust } from "../session-settings.ts";
import type { SessionSetup } from "../session-setup.ts";
import type { ChooseSession } from "../setup-or-resume.ts";
import { askTrustAt, chooseSessionAt } from "./ask-first.ts";
import { Conversation } from "./conversation.ts";
import { farewell, lastReply, showResumed, welcome } from "./greetings.ts";
import { type HistoryFile, openHistory } from "./history-file.ts";
import { readOwnKeys } from "./own-keys.ts";
import { createPaintedTerminal, type PaintedOptions } from "./painted-terminal.ts";
import { createPlainTerminal } from "./plain-terminal.ts";
import { createPromptImages } from "./prompt-images.ts";
import { showStatus } from "./status/status-rows.ts";
import type { Terminal } from "./terminal.ts";
import { createUserPrograms, editOutside, pageOutside, type UserPrograms } from "./user-programs.ts";

/**
 * Milliseconds in which a session must close; then the process ends without it. The sender of a signal does not wait
 * (fault 63), and a user who presses Ctrl-C twice wants to be out: SessionEnd hooks get the rest.
 */
const CLOSE_MS = 10_000;
const CLOSE_ON_SIGNAL_MS = 900;

function closingMs(code: number): number {
  switch (code) {
    case exitCodes.done:
      return CLOSE_MS;
    case exitCodes.interrupted:
      return LAST_CHANCE_MS;
    default:
      return CLOSE_ON_SIGNAL_MS;
  }
}

/** Questions to the user before there is a session. */
export interface AskedFirst {
  readonly askTrust: AskTrust;
  readonly choose: ChooseSession;
}

/**
 * Runs a conversation in the terminal until the user leaves (exit code 0), interrupts twice (130), or is made to leave
 * (SIGTERM 143, SIGHUP or a closed terminal 129). Every agent has ended then. `setUp` may ask for the session and for
 * trust in the directory; what it throws is thrown before anything else is shown. `isFresh`: a new session, whatever the flags
 * say. `prompt` is sent first.
 */
export async function runRepl(
  { io, runtime, run }: Context,
  setUp: (asked: AskedFirst, isFresh: boolean) => Promise<SessionSetup>,
  prompt?: string,
): Promise<number> {
  const home = troupeHome(io.env, io.homedir);
  const why = homeProblem(home);
  if (why !== null) throw new Error(why);
  const [createSupervisor, history] = await Promise.all([runtime.createSupervisor(), openHistory(home)]);
  const keys = readOwnKeys(userPlaces(io.env, io.homedir).claudeDir);
  const open = lazily(() => openTalk(io, history, keys.keymap));
  const over = new AbortController();
  try {
    const asked: AskedFirst = {
      askTrust: (question) => askTrustAt(open.get().talk.terminal)(question),
      choose: (sessions) => chooseSessionAt(open.get().talk.terminal)(sessions),
    };
    const setup = await setUp(asked, false).catch((error: unknown) => {
      // No terminal is left to report to.
      if (open.made()?.talk.isLeaving) return null;
      throw error;
    });
    const { talk } = open.get();
    if (setup === null || talk.isLeaving) {
      setup?.options.resume?.release();
      return await talk.left;
    }
    // First of all: the session's warnings come below it.
    welcome(talk.terminal, setup, [
      ...(history.problem === undefined ? [] : [history.problem]),
      ...keys.problems,
    ]);
    keys.follow((sentence) => talk.tell(sentence), io.clock, over.signal);
    let next: SessionSetup | null = setup;
    while (next !== null) {
      next = await holdSession(io, talk, {
        ...{ createSupervisor, history, setup: next, prompt: next === setup ? prompt : undefined, run },
        programs: open.get().programs,
        setUpFresh: () => setUp(asked, true),
      });
    }
    return await talk.left;
  } finally {
    over.abort();
    await open.made()?.close();
  }
}

interface Held {
  readonly createSupervisor: Awaited<ReturnType<Context["runtime"]["createSupervisor"]>>;
  readonly history: HistoryFile;
  readonly programs: UserPrograms;
  readonly setup: SessionSetup;
  readonly prompt: string | undefined;
  readonly run: Context["run"] | undefined;
  setUpFresh(): Promise<SessionSetup>;
}

/** Holds one session until the user leaves (null) or has cleared it: resolves to the setup of the next one. */
async function holdSession(
  io: CliIO,
  talk: Conversation,
  { createSupervisor, history, programs, setup, prompt, run, setUpFresh }: Held,
): Promise<SessionSetup | null> {
  const { resume } = setup.options;
  const showSettings = ({ settings }: SessionSetup["settings"]["read"]) =>
    talk.terminal.workIn(setup.options.cwd, settings);
  showSettings(setup.settings.read);
  if (resume) await talk.terminal.ready(lastReply(resume));
  if (talk.isLeaving) {
    resume?.release();
    return null;
  }
  const cleared = Promise.withResolvers<SessionSetup>();
  const following = new AbortController();
  let isOver = false;
  let followStatus: (event: SupervisorEvent) => void = () => {};
  const session = createSupervisor({
    ...setup.options,
    background: "wake",
    person: talk.person,
    onEvent(event) {
      if (isOver) return;
      followStatus(event);
      talk.onEvent(event);
    },
  });
  try {
    const settings = followSettings(session, setup.settings, {
      note: (line) => talk.tell(line),
      onChange: showSettings,
      ...{ clock: io.clock, signal: following.signal },
    });
    followStatus = showStatus(talk.terminal, io, {
      ...{ session, cwd: setup.options.cwd, windows: setup.options.compaction?.windows },
      ...{ command: () => settings().statusLine, run: programs.process, signal: following.signal },
      tell: (message) => talk.tell(message),
    });
    const unfinished = session.unfinished();
    if (resume) showResumed(talk.terminal, resume, unfinished);
    talk.begin({
      ...{ session, prompt, goesOn: unfinished.main || unfinished.agents.length > 0 },
      whyNot: (mode) => whyNotMode(mode, settings()) ?? rootRefusal(mode, io),
      remember: (line) => void history.add(line),
      turnEnded: tellOfOtherSessions(io, talk, session.session),
      async clear() {
        const fresh = await setUpFresh();
        const options = {
          ...{ ...fresh.options, model: session.describe().model },
          ...{ permissionMode: session.mode(), afterClear: true },
        };
        return () => cleared.resolve({ ...fresh, options });
      },
      async rewindTo(seq) {
        const { resumeSession } = await import("../../session/resume-session.ts");
        const home = troupeHome(io.env, io.homedir);
        const which = { id: session.session };
        const found = await resumeSession({ home, cwd: io.cwd, session: which, fork: true, before: seq });
        if (found.type === "refused") throw new Error(found.reason);
        const options = {
          ...{ ...setup.options, model: session.describe().model, grants: grantsOf(session) },
          ...{ permissionMode: session.mode(), resume: found.session },
        };
        return () => cleared.resolve({ ...setup, options });
      },
      own: {
        ...{ io, cwd: setup.options.cwd, ...(run ? { run } : {}) },
        ...{ root: setup.settings.root, reader: setup.settings.reader },
      },
    });
    await Promise.race([talk.left, cleared.promise]);
  } finally {
    following.abort();
    await end(io, talk, session, setup);
    isOver = true;
  }
  if (talk.isLeaving) return null;
  const next = await cleared.promise;
  if (!next.options.resume) talk.tell("A new conversation begins, without what was said before.");
  return next;
}

/** Returns a function that says how many requests of other sessions wait, if their number has changed. */
function tellOfOtherSessions(io: CliIO, talk: Conversation, own: SupervisorHandle["session"]): () => void {
  let said: string | null = null;
  const look = async () => {
    const { waitsElsewhere } = await import("../inbox/entries.ts");
    const line = await waitsElsewhere(own, io);
    if (line !== null && line !== said && !talk.isLeaving) talk.tell(line);
    said = line;
  };
  // It is only a hint: a directory that cannot be read is reported where sessions are listed.
  return () => void look().catch(() => {});
}

/** What the user has allowed for the session: returning to an earlier prompt is no other session to them. */
function grantsOf(session: Pick<SupervisorHandle, "rules">): readonly string[] {
  return session
    .rules()
    .flatMap(({ text, behaviour, scope }) => (scope === "session" && behaviour === "allow" ? [text] : []));
}

function openTalk(io: CliIO, { lines }: HistoryFile, keymap: Keymap) {
  const programs = createUserPrograms(io, () => talk.cwd);
  const images = createPromptImages({
    ...{ platform: process.platform, homedir: io.homedir, env: io.env, run: programs.process },
  });
  const talk: Conversation = new Conversation(io, { programs, images }, (listeners, completer) =>
    chooseTerminal(io, {
      ...{ ...listeners, history: lines, completer, keymap, images },
      editOutside: (text, signal) => editOutside(text, { env: io.env, cwd: talk.cwd, signal }),
      pageOutside: (text, signal) => pageOutside(text, { env: io.env, cwd: talk.cwd, signal }),
      suspend: io.suspend ?? (async () => {}),
    }),
  );
  const withdrawals = [
    io.onSignal("SIGINT", () => talk.interrupt()),
    io.onSignal("SIGTERM", () => talk.leave(exitCodes.terminated)),
    io.onSignal("SIGHUP", () => talk.leave(exitCodes.hungUp)),
    // It would leave the terminal without echo.
    io.onSignal("SIGQUIT", () => talk.leave(exitCodes.terminated)),
  ];
  return {
    ...{ talk, programs },
    async close() {
      talk.terminal.close();
      for (const withdraw of withdrawals) withdraw();
      await programs.close();
    },
  };
}

/** Creates a value at the first `get`, if ever. */
function lazily<T>(make: () => T): { get(): T; made(): T | undefined } {
  let made: T | undefined;
  return { get: () => (made ??= make()), made: () => made };
}

/** `code`: null if the conversation was cleared. */
function reasonOf(code: number | null): CloseReason {
  if (code === null) return "clear";
  return code === exitCodes.done ? "prompt_input_exit" : "other";
}

/** Ends every agent, and, if the user leaves, the process if part of the session does not end in time. */
async function end(
  io: CliIO,
  talk: Conversation,
  session: SupervisorHandle,
  { options, engine }: SessionSetup,
): Promise<void> {
  const { terminal, left } = talk;
  // First what was written so far; before the rest, so that the user always sees how to resume.
  terminal.rest();
  farewell(terminal, session, { cwd: options.cwd, here: io.cwd, engine });
  const code = talk.isLeaving ? await left : null;
  const closed = await within(io.clock, closingMs(code ?? exitCodes.done), session.close(reasonOf(code)));
  if (closed) return;
  if (code === null || code === exitCodes.done)
    terminal.print(
      `The session did not close within ${CLOSE_MS / 1000} s; ${code === null ? "continuing" : "leaving"} without it.`,
    );
  if (code === null) return;
  terminal.close();
  io.leave(code);
}

/** Returns a painted terminal if the cursor can move, or else a plain one. */
function chooseTerminal(io: CliIO, options: PaintedOptions): Terminal {
  return isPlain(io.env) ? createPlainTerminal(io, options) : createPaintedTerminal(io, options);
}
