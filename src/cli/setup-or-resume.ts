import { realpath, stat } from "node:fs/promises";
import { troupeHome } from "../journal/paths.ts";
import { lockHolder } from "../journal/session-lock.ts";
import { type FoundSession, latestSession, listSessions, type SessionEntry } from "../journal/sessions.ts";
import type { ResumableSession, ResumeRequest } from "../session/resume-session.ts";
import type { Arguments } from "./arguments.ts";
import { plain } from "./colour.ts";
import type { Context } from "./command.ts";
import { workingDir } from "./directories.ts";
import { sessionNamed } from "./named-session.ts";
import { resumeFlags, type WantedSession, wantedSession } from "./resume-flags.ts";
import { safeLine } from "./safe-text.ts";
import { type OwnSetup, type SessionSetup, setUpSession } from "./session-setup.ts";
import { sessionListText } from "./session-text.ts";
import { resumeCommand } from "./unfinished.ts";
import { UsageError } from "./usage-error.ts";

/** Lets the person choose one of these; null where they choose none. */
export type ChooseSession = (sessions: readonly SessionEntry[]) => Promise<SessionEntry | null>;

export interface OwnTakingUp extends OwnSetup {
  /** Absent where nobody can be asked. */
  readonly choose?: ChooseSession;
}

/** Sessions that are named where none can be chosen. */
const NEWEST = 5;

/**
 * A session as `setUpSession` makes it, taken up again where the flags say so. Throws a `UsageError` where the
 * session that is meant is not one, is about another folder, or none was chosen; an ordinary error where it cannot
 * be had. Nobody holds it then.
 */
export async function setUpSessionOrResume(
  args: Arguments,
  context: Context,
  { choose, ...own }: OwnTakingUp,
): Promise<SessionSetup> {
  const wanted = wantedSession(args);
  if (wanted === null) return setUpSession(args, context, own);
  const resume = await takeUp(wanted, args, context, choose);
  try {
    return await setUpSession(args, context, { ...own, resume });
  } catch (error) {
    resume.release();
    throw error;
  }
}

async function takeUp(
  wanted: WantedSession,
  args: Arguments,
  { io, runtime }: Context,
  choose: ChooseSession | undefined,
): Promise<ResumableSession> {
  const home = troupeHome(io.env, io.homedir);
  const cwd = await workingDir(args, io);
  const fork = args.value(resumeFlags.fork);
  const { session, folder } = await meant(wanted, { home, cwd, choose });
  const restoring = await runtime.resumeSession({ home, cwd, session, ...(fork ? { fork } : {}) });
  if (restoring.type === "refused") {
    const held = !fork && lockHolder(folder) !== null;
    throw new Error(safeLine(`${restoring.reason}${held ? " --fork-session works on a copy." : ""}`));
  }
  const { session: restored } = restoring;
  if (!(await isSameFolder(restored.cwd, cwd))) {
    restored.release();
    throw await elsewhere(restored.id, restored.cwd, cwd);
  }
  return restored;
}

interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly choose: ChooseSession | undefined;
}

interface Meant {
  readonly session: ResumeRequest["session"];
  /** Of its journal. */
  readonly folder: string;
}

async function meant(wanted: WantedSession, place: Place): Promise<Meant> {
  switch (wanted.type) {
    case "latest": {
      const { session, notes } = await latestSession(place.home, place.cwd);
      if (session === null) throw nothingHere(notes);
      return { session: "latest", folder: session.folder };
    }
    case "id": {
      const { id, folder } = await namedAboutHere(wanted.id, place);
      return { session: { id }, folder };
    }
    case "choose": {
      const { id, folder } = await chosen(place);
      return { session: { id }, folder };
    }
    default:
      return wanted satisfies never;
  }
}

/** Told before a session about another folder is opened or copied. */
async function namedAboutHere(idOrPrefix: string, { home, cwd }: Place): Promise<FoundSession> {
  const session = await sessionNamed(idOrPrefix, home);
  const { id } = session;
  const isIt = (session: SessionEntry) => session.id === id;
  if ((await listSessions(home, cwd)).sessions.some(isIt)) return session;
  const entry = (await listSessions(home)).sessions.find(isIt);
  // One that cannot be listed is damaged: whoever opens it says how.
  if (entry && !(await isSameFolder(entry.cwd, cwd))) throw await elsewhere(id, entry.cwd, cwd);
  return session;
}

async function chosen({ home, cwd, choose }: Place): Promise<FoundSession> {
  const listed = await listSessions(home, cwd);
  const sessions = listed.sessions.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
  if (sessions.length === 0) throw nothingHere(listed.notes);
  if (choose) {
    const session = await choose(sessions);
    if (session !== null) return session;
    throw new UsageError("No session was chosen; troupe alone starts a new one.");
  }
  const newest = sessionListText(sessions.slice(0, NEWEST), false, plain);
  throw new UsageError(
    `--resume needs the id of a session where none can be chosen; the newest about this folder:\n${newest.trimEnd()}`,
  );
}

/** `notes`: sessions that could not be read. */
function nothingHere(notes: readonly string[]): Error {
  if (notes.length > 0) return new Error(notes.map(safeLine).join("\n"));
  return new UsageError(
    "There is no session about this folder to go on with; troupe sessions list --all shows those of other folders.",
  );
}

async function elsewhere(id: string, folder: string, here: string): Promise<UsageError> {
  const there = safeLine(folder);
  if (!(await isFolder(folder)))
    return new UsageError(
      `Session ${id} is about ${there}, which is not there any more; make it again first.`,
    );
  return new UsageError(
    `Session ${id} is about ${there}; write ${resumeCommand(id, folder, here)}, or go there first.`,
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** A folder may have several names. */
async function isSameFolder(one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => null)));
  return a !== null && a === b;
}
