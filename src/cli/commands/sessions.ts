import { journalFile, troupeHome } from "../../journal/paths.ts";
import { readJournal } from "../../journal/reader.ts";
import { listSessions } from "../../journal/sessions.ts";
import { nearName } from "../../mailbox/near-name.ts";
import type { Arguments } from "../arguments.ts";
import { paintFor } from "../colour.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { existingFolder } from "../folders.ts";
import { sessionNamed } from "../named-session.ts";
import { flag, quoted } from "../option.ts";
import { resumeFlags } from "../resume-flags.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags, sessionOptions } from "../session-flags.ts";
import { sessionStory } from "../session-history.ts";
import { sessionListText, sessionStoryText } from "../session-text.ts";
import { UsageError } from "../usage-error.ts";
import { runConversation } from "./conversation.ts";
import { promptOptions, runPrompt } from "./prompt.ts";

const json = flag({ name: "json", summary: "print JSON" });
const follow = flag({ name: "follow", summary: "show what comes, too, until nobody has the session open" });
const all = flag({ name: "all", summary: "list the sessions of every folder, not only of this one" });

/** `troupe sessions`: what was done before. */
export const sessionsCommand: Command = {
  name: "sessions",
  usage: [
    "sessions list [--all] [--json]",
    "sessions show ID [--follow] [--json]",
    'sessions resume ID [flags] ["PROMPT"]',
  ],
  summary: "list what was done before, show one session with its agents, or go on with it",
  details: [
    "ID may be the beginning of an id.",
    "On a terminal, resume holds a conversation; elsewhere it does what -p --resume ID does, and takes the same flags.",
  ],
  options: [all, follow, json, resumeFlags.fork, ...promptOptions, ...sessionOptions],
  examples: [
    ["troupe sessions list", "sessions about this folder, newest first"],
    ["troupe sessions show 3fk2", "its agents, what they were asked and what they answered"],
    ["troupe sessions show 3fk2 --follow", "the same as a story, and what still comes"],
    ["troupe sessions resume 3fk2", "go on with it, where it was left or cut off"],
  ],
  run: runSessions,
};

async function runSessions(args: Arguments, context: Context): Promise<number> {
  const [action, id, extra] = args.positionals;
  if (action === "resume") return resume(args, context);
  if (extra !== undefined)
    throw new UsageError(`sessions ${action} does not take ${quoted(extra)}; leave it out.`);
  switch (action) {
    case "list":
      if (id !== undefined) throw new UsageError(`sessions list does not take ${quoted(id)}; leave it out.`);
      return list(args, context);
    case "show":
      if (id !== undefined) return show(id, args, context);
      throw new UsageError("sessions show needs the id of a session; troupe sessions list --all shows them.");
    case undefined:
      throw new UsageError(
        "sessions needs to know what to do: sessions list, sessions show ID, or sessions resume ID.",
      );
    default: {
      const guess = nearName(action, ["list", "show", "resume"]);
      throw new UsageError(
        `sessions cannot ${quoted(action)}; ${guess ? `did you mean sessions ${guess}?` : "it can list, show and resume."}`,
      );
    }
  }
}

/** The same as the flag, where a person looks for it. */
function resume(args: Arguments, context: Context): Promise<number> {
  const [, id, ...positionals] = args.positionals;
  if (id === undefined)
    throw new UsageError("sessions resume needs the id of a session; troupe sessions list shows them.");
  const given: Arguments = {
    ...args,
    value: (option) => option.read(option.name === resumeFlags.resume.name ? [id] : args.given(option)),
    positionals,
  };
  const { stdinIsTTY, stdout } = context.io;
  return stdinIsTTY && stdout.isTTY ? runConversation(given, context) : runPrompt(given, context);
}

async function list(args: Arguments, { io }: Context): Promise<number> {
  const everywhere = args.value(all);
  const cwd = await existingFolder("--cwd", args.value(sessionFlags.cwd) ?? ".", io.cwd);
  const { sessions, notes } = await listSessions(
    troupeHome(io.env, io.homedir),
    everywhere ? undefined : cwd,
  );
  for (const note of notes) await io.stderr.write(`${safeLine(note)}\n`);
  if (args.value(json)) await io.stdout.write(`${JSON.stringify(sessions, null, 2)}\n`);
  else if (sessions.length > 0)
    await io.stdout.write(sessionListText(sessions, everywhere, paintFor(io.stdout, io.env)));
  else
    await io.stderr.write(
      `There is no session${everywhere ? "" : " about this folder; --all lists every folder's"}.\n`,
    );
  return exitCodes.done;
}

async function show(id: string, args: Arguments, { io }: Context): Promise<number> {
  const session = await sessionNamed(id, troupeHome(io.env, io.homedir));
  if (args.value(follow)) {
    const { followJournal } = await import("../top/follow-journal.ts");
    const { EventFormatter } = await import("../top/event-formatter.ts");
    const formatter = new EventFormatter(paintFor(io.stdout, io.env));
    return followJournal(session, io, {
      async onRecord(record) {
        const lines = args.value(json) ? [JSON.stringify(record)] : formatter.format(record);
        await io.stdout.write(lines.map((line) => `${line}\n`).join(""));
      },
    });
  }
  const reading = await readJournal(journalFile(session.folder));
  if (reading.type === "refused") {
    await io.stderr.write(`${safeLine(reading.reason)}\n`);
    return exitCodes.notDone;
  }
  for (const note of reading.notes) await io.stderr.write(`${safeLine(note)}\n`);
  const story = sessionStory(reading.records);
  await io.stdout.write(
    args.value(json)
      ? `${JSON.stringify({ id: session.id, folder: session.folder, ...story, notes: reading.notes }, null, 2)}\n`
      : sessionStoryText(story, session.id, paintFor(io.stdout, io.env)),
  );
  return exitCodes.done;
}
