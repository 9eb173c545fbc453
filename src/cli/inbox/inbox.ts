import { type LeftAnswer, leaveAnswer } from "../../features/inbox/waiting-file.ts";
import { troupeHome } from "../../journal/paths.ts";
import { listSessions } from "../../journal/sessions.ts";
import { type Clock, pause } from "../../lib/clock.ts";
import { type Paint, paintFor } from "../../terminal/colour.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { readInboxAnswer, type TypedAnswer } from "./answer.ts";
import { dismissNotice, isNotice, readInbox, waitingIn } from "./entries.ts";
import { inboxText } from "./text.ts";

type Where = Pick<CliIO, "env" | "homedir" | "clock" | "cwd">;

const NOTHING = "Nothing waits for you.";

/** `troupe inbox`. */
export async function printInbox(asJson: boolean, io: CliIO): Promise<void> {
  const now = Date.parse(io.clock.date());
  const { entries, notes } = await readInbox(troupeHome(io.env, io.homedir), now);
  await printNotes(io, notes);
  if (asJson)
    for (const { id, since, session, what } of entries) {
      const about = { session: session.id, cwd: session.cwd, title: session.title };
      await io.stdout.write(`${JSON.stringify({ id, since, ...about, ...what })}\n`);
    }
  else if (entries.length === 0) await printNotes(io, [NOTHING]);
  else {
    const paint = paintFor(io.stdout, io.env);
    await io.stdout.write(inboxText(entries, now, { command: "troupe inbox", here: io.cwd, paint }));
  }
}

/** `troupe inbox ID ANSWER`. */
export async function printAnswered(id: string, words: readonly string[], io: CliIO): Promise<number> {
  const { said, counts } = await answerRequest(id, { line: words.join(" "), words }, io);
  await printNotes(io, [said]);
  return counts ? exitCodes.done : exitCodes.notDone;
}

/** `/inbox [ID ANSWER]` in a conversation: returns what is shown. */
export async function inboxInConversation(argument: string, where: Where, paint: Paint): Promise<string> {
  const [, id = "", line = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  if (id !== "") {
    const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    return safeLine((await answerRequest(id, { line, words }, where, "/inbox")).said);
  }
  const now = Date.parse(where.clock.date());
  const { entries, notes } = await readInbox(troupeHome(where.env, where.homedir), now);
  const shown = { command: "/inbox", here: where.cwd, paint };
  return [
    ...notes.map(safeLine),
    entries.length === 0 ? NOTHING : inboxText(entries, now, shown).trimEnd(),
  ].join("\n");
}

/** Takes a result, or a session that was cut off, off the list; nothing else is changed. */
async function dismiss(
  id: string,
  { env, homedir, clock }: Omit<Where, "cwd">,
  command: string,
): Promise<string> {
  const { entries } = await readInbox(troupeHome(env, homedir), Date.parse(clock.date()));
  const meant = entries.filter(isNotice).filter((entry) => entry.id.startsWith(id));
  const exact = meant.filter((entry) => entry.id === id);
  const [found, ...others] = exact.length > 0 ? exact : meant;
  if (found === undefined)
    throw new UsageError(`${id} is nothing that can be dismissed: ${command} lists what waits.`);
  if (others.length > 0) throw new UsageError(`${id} can mean several; give more of the ID.`);
  dismissNotice(found);
  return "Dismissed. Nothing else was changed.";
}

/** Milliseconds in which a session takes an answer, and between two looks whether it has. */
const TAKEN_MS = 5_000;
const LOOK_MS = 50;

/** Answers one request, as `SESSION.NUMBER`; the session's part can be the beginning of its ID. */
async function answerRequest(
  id: string,
  answer: TypedAnswer,
  { env, homedir, clock }: Omit<Where, "cwd">,
  command = "troupe inbox",
): Promise<{ readonly said: string; readonly counts: boolean }> {
  if (answer.line.trim() === "dismiss")
    return { said: await dismiss(id, { env, homedir, clock }, command), counts: true };
  const [, begin = "", number] = /^(\w+)\.(\w+)$/.exec(id) ?? [];
  if (number === undefined)
    throw new UsageError(`${JSON.stringify(id)} is no request: ${command} lists them, such as 3fk2.7.`);
  if (answer.line.trim() === "") throw new UsageError(`Give an answer: ${command} ${id} ANSWER.`);
  const { sessions } = await listSessions(troupeHome(env, homedir));
  const meant = sessions.filter((session) => session.id.startsWith(begin));
  const now = Date.parse(clock.date());
  const open = meant.flatMap((session) =>
    waitingIn(session, now).flatMap((one) => (one.id === `ask${number}` ? [{ session, one }] : [])),
  );
  const [found, ...others] = open;
  if (others.length > 0) throw new UsageError(`${id} can mean several sessions; give more of the ID.`);
  if (found === undefined)
    return {
      said: `${id} waits for no answer: it has been answered, or its session has ended.`,
      counts: false,
    };
  const left = leaveAnswer(found.session.folder, found.one.id, readInboxAnswer(found.one.request, answer));
  if (left === null) return { said: "It has been answered already; the first answer counts.", counts: false };
  const outcome = await waitForOutcome(left, clock);
  left.close();
  return { said: OUTCOMES[outcome], counts: outcome === "taken" };
}

const OUTCOMES = {
  taken: "Answered.",
  missed: "This answer does not count: another one came first, or the request was withdrawn.",
  waits: "The answer was left, but its session has not taken it yet.",
} as const;

async function waitForOutcome(left: LeftAnswer, clock: Clock): Promise<keyof typeof OUTCOMES> {
  for (const until = clock.now() + TAKEN_MS; clock.now() < until && left.outcome() === "waits"; )
    await pause(clock, LOOK_MS);
  return left.outcome();
}
