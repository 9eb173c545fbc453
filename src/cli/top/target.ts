import { troupeHome } from "../../journal/paths.ts";
import { lockHolder } from "../../journal/session-lock.ts";
import type { SessionId } from "../../mailbox/ids.ts";
import type { LiveOver } from "../../supervisor/live/news.ts";
import { type RunningSession, runningSessions } from "../../supervisor/live/running.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { sessionNamed } from "../named-session.ts";
import { safeLine } from "../safe-text.ts";

/** The session that is looked at. */
export type Target = Pick<RunningSession, "session" | "path">;

export type Choice =
  | { readonly type: "target"; readonly target: Target }
  /** Lines for the person, and the exit code. */
  | { readonly type: "none"; readonly lines: readonly string[]; readonly code: number };

/**
 * The running session that is meant: the one of that id, or whose id alone begins so; without an id the only one of
 * this folder, else the only one of all. Throws a `UsageError` for an id that no session has.
 */
export async function chooseTarget(id: string | undefined, io: CliIO): Promise<Choice> {
  const home = troupeHome(io.env, io.homedir);
  const running = await runningSessions(home, io.clock);
  if (id !== undefined) return named(id, running, home);
  const here = running.filter(({ hello }) => hello?.cwd === io.cwd);
  const [only, second] = here.length > 0 ? here : running;
  if (only !== undefined && second === undefined) return { type: "target", target: only };
  if (only === undefined) {
    const line = "No session is running; troupe sessions list shows what was done before.";
    return { type: "none", lines: [line], code: exitCodes.notDone };
  }
  return manyOf(here.length > 0 ? here : running, "More than one session is running");
}

async function named(id: string, running: readonly RunningSession[], home: string): Promise<Choice> {
  const exact = running.filter(({ session }) => session === id);
  const meant = exact.length > 0 ? exact : running.filter(({ session }) => session.startsWith(id));
  const [only, second] = meant;
  if (only !== undefined && second === undefined) return { type: "target", target: only };
  if (only !== undefined) return manyOf(meant, `"${safeLine(id)}" begins more than one running session`);
  const { id: session, folder } = await sessionNamed(id, home);
  const holder = lockHolder(folder);
  const line =
    holder === null
      ? `Session ${session} is not running; troupe sessions show ${session} shows what it did.`
      : `Session ${session} runs (pid ${holder.pid}), but cannot be watched; troupe sessions show ${session} --follow tells what it does.`;
  return { type: "none", lines: [line], code: exitCodes.notDone };
}

function manyOf(sessions: readonly RunningSession[], why: string): Choice {
  const lines = sessions.map(({ session, hello }) =>
    hello === null
      ? `  ${session}  (does not answer)`
      : `  ${session}  ${hello.startedAt.slice(0, 16).replace("T", " ")} UTC  pid ${hello.pid}  ${safeLine(hello.cwd)}`,
  );
  return { type: "none", lines: [`${why}; say which: troupe top ID`, ...lines], code: exitCodes.usage };
}

/** What is said when nothing more comes of a session. */
export function overSentence(how: LiveOver, session: SessionId): string {
  const show = `troupe sessions show ${session}`;
  switch (how) {
    case "closed":
      return `The session has ended; ${show} shows what came of it.`;
    case "gone":
      return `The session's process has gone without a word; ${show} shows what is left of it.`;
    case "dead":
      return `Session ${session} is not running any more; ${show} shows what it did.`;
    case "silent":
      return `Session ${session} runs, but does not answer: its main thread is busy; try again, or see ${show} --follow.`;
    case "strange":
      return `Session ${session} is of another version of Troupe; look at it with that one, or see ${show} --follow.`;
    default:
      return how satisfies never;
  }
}

export function overCode(how: LiveOver): number {
  return how === "closed" ? exitCodes.done : exitCodes.notDone;
}
