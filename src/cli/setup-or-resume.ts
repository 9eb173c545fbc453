import { rmSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { lockHolder } from "../journal/numbered-lock.ts";
import { troupeHome } from "../journal/paths.ts";
import { type FoundSession, latestSession, listSessions, type SessionEntry } from "../journal/sessions.ts";
import { within } from "../lib/clock.ts";
import type { ResumableSession } from "../session/resume-session.ts";
import { plain } from "../terminal/colour.ts";
import { safeLine } from "../terminal/safe-text.ts";
import type { Arguments } from "./arguments.ts";
import type { Context } from "./command.ts";
import { workingDir } from "./directories.ts";
import { UsageError } from "./exit-codes.ts";
import type { CliIO } from "./process-io.ts";
import { resumeFlags, type WantedSession, wantedSession } from "./session-flags.ts";
import { sessionListText, sessionNamed } from "./session-list.ts";
import { type OwnSetup, type SessionSetup, setUpSession } from "./session-setup.ts";
import { resumeCommand } from "./unfinished.ts";

/** Lets the user choose a session, or none (null). */
export type ChooseSession = (sessions: readonly SessionEntry[]) => Promise<SessionEntry | null>;

/** Sessions that are listed if no user can choose. */
const NEWEST = 5;

/**
 * Sets up a session, resumed if the flags say so. Throws a `UsageError` if the session that is meant does not exist, is
 * about another directory, or none was chosen; another error if it cannot be read. It is not held then.
 */
export async function setUpSessionOrResume(
  args: Arguments,
  context: Context,
  { choose, ...own }: OwnSetup & { readonly choose?: ChooseSession },
): Promise<SessionSetup> {
  const wanted = wantedSession(args);
  if (wanted === null) return setUpSession(args, context, own);
  const resume = await openSession(wanted, args, context, choose);
  try {
    return await setUpSession(args, context, { ...own, resume });
  } catch (error) {
    giveUp(resume, args);
    throw error;
  }
}

/** Releases a session that is not resumed after all, and removes it if it is a copy. */
function giveUp({ folder, release }: ResumableSession, args: Arguments): void {
  release();
  if (args.value(resumeFlags.fork)) rmSync(folder, { recursive: true, force: true });
}

async function openSession(
  wanted: WantedSession,
  args: Arguments,
  { io, runtime }: Context,
  choose: ChooseSession | undefined,
): Promise<ResumableSession> {
  const home = troupeHome(io.env, io.homedir);
  const cwd = await workingDir(args, io);
  const fork = args.value(resumeFlags.fork);
  const found = await findWanted(wanted, home, cwd, choose);
  const session = wanted.type === "latest" ? "latest" : { id: found.id };
  const opened = await runtime.resumeSession({ home, cwd, session, ...(fork ? { fork } : {}) });
  if (opened.type === "refused") {
    const isHeld = !fork && lockHolder(found.folder) !== null;
    throw new Error(safeLine(`${opened.reason}${isHeld ? " --fork-session works on a copy." : ""}`));
  }
  try {
    await assertAbout(cwd, opened.session);
  } catch (error) {
    giveUp(opened.session, args);
    throw error;
  }
  return opened.session;
}

async function findWanted(
  wanted: WantedSession,
  home: string,
  cwd: string,
  choose: ChooseSession | undefined,
): Promise<FoundSession> {
  switch (wanted.type) {
    case "latest": {
      const { session, notes } = await latestSession(home, cwd);
      if (session === null) throw nothingToResume(notes);
      return session;
    }
    case "id": {
      const session = await sessionNamed(wanted.id, home);
      // Before a session about another directory is opened or copied. A damaged one is not listed: opening it says why.
      const entry = (await listSessions(home)).sessions.find(({ id }) => id === session.id);
      if (entry) await assertAbout(cwd, entry);
      return session;
    }
    case "choose": {
      const { sessions, notes } = await listSessions(home, cwd);
      if (sessions.length === 0) throw nothingToResume(notes);
      return chooseOne(
        sessions.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1)),
        choose,
      );
    }
    default:
      return wanted satisfies never;
  }
}

async function chooseOne(
  sessions: readonly SessionEntry[],
  choose: ChooseSession | undefined,
): Promise<FoundSession> {
  if (choose) {
    const session = await choose(sessions);
    if (session !== null) return session;
    throw new UsageError("No session was chosen; troupe alone starts a new one.");
  }
  const newest = sessionListText(sessions.slice(0, NEWEST), false, plain);
  throw new UsageError(
    `--resume needs the ID of a session here, because no user can choose one; the newest about this directory:\n${newest.trimEnd()}`,
  );
}

/** `notes`: sessions that could not be read. */
function nothingToResume(notes: readonly string[]): Error {
  if (notes.length > 0) return new Error(notes.map(safeLine).join("\n"));
  return new UsageError(
    "There is no session about this directory to resume; troupe sessions list --all shows those of other directories.",
  );
}

/** Throws a `UsageError` if a session is about another directory. A directory may have several names. */
async function assertAbout(cwd: string, session: Pick<SessionEntry, "id" | "cwd">): Promise<void> {
  const { id } = session;
  if (session.cwd === cwd) return;
  const [here, there] = await Promise.all([cwd, session.cwd].map((path) => realpath(path).catch(() => null)));
  if (there !== null && here === there) return;
  const path = safeLine(session.cwd);
  const isThere = (await stat(session.cwd).catch(() => null))?.isDirectory();
  throw new UsageError(
    isThere
      ? `Session ${id} is about ${path}; write ${resumeCommand(id, session.cwd, cwd)}, or change to that directory first.`
      : `Session ${id} is about ${path}, which no longer exists; create it again first.`,
  );
}

/** Milliseconds for a start without questions: it reads files, and runs `apiKeyHelper` for at most 30 s. */
const START_MS = 120_000;

/** Waits for a start. Throws `StartStoodStill` if it takes longer than any does: a script would wait forever. */
export async function limitStart<T>(io: CliIO, start: Promise<T>): Promise<T> {
  if (await within(io.clock, START_MS, start)) return start;
  const awaited = [...new Set(process.getActiveResourcesInfo())].join(", ") || "nothing that Node knows of";
  throw new StartStoodStill(
    `The session did not start within ${START_MS / 60_000} min (it waits for ${awaited}); run the command again.`,
  );
}

/** The process must be ended. */
export class StartStoodStill extends Error {}
