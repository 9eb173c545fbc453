import { existsSync } from "node:fs";
import { join } from "node:path";
import { leaveAnswer, waitingFolder } from "../../features/inbox/waiting-file.ts";
import { troupeHome } from "../../journal/paths.ts";
import { listSessions } from "../../journal/sessions.ts";
import { type Clock, pause } from "../../mailbox/clock.ts";
import { paintFor } from "../colour.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { printNotes } from "../print.ts";
import { UsageError } from "../usage-error.ts";
import { readInboxAnswer } from "./answer.ts";
import { type InboxEntry, readInbox, waitingIn } from "./entries.ts";
import { inboxText } from "./text.ts";

export async function printInbox(asJson: boolean, io: CliIO): Promise<void> {
  const now = Date.parse(io.clock.date());
  const { entries, notes } = await readInbox(troupeHome(io.env, io.homedir), now);
  await printNotes(io, notes);
  if (asJson) await io.stdout.write(entries.map((entry) => `${JSON.stringify(jsonOf(entry))}\n`).join(""));
  else if (entries.length === 0) await printNotes(io, ["Nothing waits for you."]);
  else await io.stdout.write(inboxText(entries, now, io.cwd, paintFor(io.stdout, io.env)));
}

function jsonOf({ id, since, session, what }: InboxEntry): object {
  return { id, since, session: session.id, cwd: session.cwd, title: session.title, ...what };
}

/** Milliseconds in which a session takes an answer, and between two looks whether it has. */
const TAKEN_MS = 5_000;
const LOOK_MS = 50;

/** Answers one request, as `SESSION.NUMBER`; the session's part can be the beginning of its ID. */
export async function answerRequest(id: string, words: readonly string[], io: CliIO): Promise<number> {
  const [, begin = "", number] = /^(\w+)\.(\w+)$/.exec(id) ?? [];
  if (number === undefined)
    throw new UsageError(`${JSON.stringify(id)} is no request: troupe inbox lists them, such as 3fk2.7.`);
  if (words.length === 0) throw new UsageError(`Give an answer: troupe inbox ${id} ANSWER.`);
  const { sessions } = await listSessions(troupeHome(io.env, io.homedir));
  const meant = sessions.filter((session) => session.id.startsWith(begin));
  const now = Date.parse(io.clock.date());
  const open = meant.flatMap((session) =>
    waitingIn(session, now).flatMap((one) => (one.id === `ask${number}` ? [{ session, one }] : [])),
  );
  const [found, ...others] = open;
  if (others.length > 0) throw new UsageError(`${id} can mean several sessions; give more of the ID.`);
  if (found === undefined) {
    await printNotes(io, [`${id} waits for no answer: it has been answered, or its session has ended.`]);
    return exitCodes.notDone;
  }
  const answer = readInboxAnswer(found.one.request, words);
  const { folder } = found.session;
  const isFirst = leaveAnswer(folder, found.one.id, answer);
  const isTaken = await waitUntilTaken(folder, found.one.id, io.clock);
  const said = !isFirst
    ? "It has been answered already; the first answer counts."
    : isTaken
      ? "Answered."
      : "The answer was left, but its session has not taken it yet.";
  await printNotes(io, [said]);
  return isFirst && isTaken ? exitCodes.done : exitCodes.notDone;
}

async function waitUntilTaken(folder: string, id: string, clock: Clock): Promise<boolean> {
  const path = join(waitingFolder(folder), `${id}.json`);
  for (const until = clock.now() + TAKEN_MS; clock.now() < until; ) {
    if (!existsSync(path)) return true;
    await pause(clock, LOOK_MS);
  }
  return false;
}
