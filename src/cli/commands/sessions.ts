import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { lockHolder } from "../../journal/numbered-lock.ts";
import { journalFile, troupeHome } from "../../journal/paths.ts";
import { readJournal } from "../../journal/reader.ts";
import { type FoundSession, listSessions } from "../../journal/sessions.ts";
import { errorCode, errorMessage } from "../../lib/errors.ts";
import { settingsReader } from "../../policy/trust/trust.ts";
import { paintFor } from "../../terminal/colour.ts";
import type { Arguments } from "../arguments.ts";
import { type Command, type Context, withSubcommands } from "../command.ts";
import { settingsSource, workingDir } from "../directories.ts";
import { exitCodes, quoted, UsageError } from "../exit-codes.ts";
import { flag } from "../option.ts";
import { printJson, printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { jsonFlag, resumeFlags, sessionFlags, sessionOptions } from "../session-flags.ts";
import { sessionListText, sessionNamed } from "../session-list.ts";
import { runConversation } from "./conversation.ts";
import { promptOptions, runPrompt } from "./prompt.ts";

const follow = flag({
  name: "follow",
  summary: "show events as they come, until no process has the session open",
});
const all = flag({ name: "all", summary: "list the sessions of every directory, not only of this one" });

/** `troupe sessions`: what was done before. */
export const sessionsCommand = withSubcommands({
  name: "sessions",
  summary: "list earlier sessions, show one with its agents, or resume it",
  details: [
    "ID may be the beginning of an ID.",
    "export writes prompts, replies and calls into a new file, as its name says: .md or .html.",
    "At a terminal, resume holds a conversation; elsewhere it does what -p --resume ID does, and takes the same flags.",
  ],
  options: [sessionFlags.cwd],
  subcommands: {
    list: { options: [all, jsonFlag], run: (_, args, context) => list(args, context) },
    show: {
      takes: "ID",
      options: [follow, jsonFlag],
      run: ([id = ""], args, context) => show(id, args, context),
    },
    export: {
      takes: "ID FILE",
      options: [],
      run: ([id = "", file = ""], _, context) => exportTo(file, id, context),
    },
    resume: {
      takes: "ID [PROMPT]",
      options: [
        resumeFlags.fork,
        ...promptOptions,
        ...sessionOptions.filter((option) => option !== sessionFlags.cwd),
      ],
      run: ([id = "", ...prompt], args, context) => resume(id, prompt, args, context),
    },
  },
  examples: [
    ["troupe sessions list", "sessions about this directory, newest first"],
    ["troupe sessions show 3fk2", "its agents, their prompts, and all that they said and called"],
    ["troupe sessions show 3fk2 --follow", "its events so far, and each as it comes"],
    ["troupe sessions export 3fk2 talk.html", "write it down as one page; .md for Markdown"],
    ["troupe sessions resume 3fk2", "continue where it was left or cut off"],
  ],
});

/** The same as --resume ID. */
function resume(
  id: string,
  positionals: readonly string[],
  args: Arguments,
  context: Context,
): Promise<number> {
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
  const cwd = everywhere ? undefined : await workingDir(args, io);
  const { sessions: found, notes } = await listSessions(troupeHome(io.env, io.homedir), cwd);
  const { listedSession } = await import("../top/session-view.ts");
  const { settings } = await settingsReader(settingsSource(io, cwd ?? io.cwd), false).read();
  const now = Date.parse(io.clock.date());
  const sessions = await Promise.all(
    found.map((session) => listedSession(session, now, settings.budgets.prices)),
  );
  await printNotes(io, notes);
  if (args.value(jsonFlag)) await printJson(io, sessions);
  else if (sessions.length > 0)
    await io.stdout.write(sessionListText(sessions, everywhere, paintFor(io.stdout, io.env)));
  else
    await printNotes(io, [
      `There is no session${everywhere ? "" : " about this directory; --all lists those of every directory"}.`,
    ]);
  return exitCodes.done;
}

async function show(id: string, args: Arguments, { io }: Context): Promise<number> {
  const session = await sessionNamed(id, troupeHome(io.env, io.homedir));
  const paint = paintFor(io.stdout, io.env);
  if (args.value(follow)) {
    const { followJournal } = await import("../top/follow-journal.ts");
    const { EventFormatter } = await import("../top/event-formatter.ts");
    const { JournalEvents } = await import("../../features/events/journal-events.ts");
    const formatter = new EventFormatter(paint);
    const events = new JournalEvents();
    return followJournal(session, io, {
      async onRecord(record) {
        const lines = events
          .of(record)
          .flatMap((event) =>
            args.value(jsonFlag)
              ? [JSON.stringify({ at: record.at, ...event })]
              : formatter.format(event, record.at),
          );
        await io.stdout.write(lines.map((line) => `${line}\n`).join(""));
      },
    });
  }
  const read = await readStory(session, io);
  if (read === null) return exitCodes.notDone;
  const { story, notes } = read;
  const isHeld = lockHolder(session.folder) !== null;
  if (args.value(jsonFlag))
    await printJson(io, { id: session.id, folder: session.folder, isHeld, ...story, notes });
  else {
    const { sessionStoryText } = await import("../session-story-text.ts");
    await io.stdout.write(sessionStoryText(story, { id: session.id, isHeld }, paint));
  }
  return exitCodes.done;
}

/** Returns null if its journal cannot be read, after a note that says so. */
async function readStory({ folder }: FoundSession, io: CliIO) {
  const journal = await readJournal(journalFile(folder));
  const notes = journal.type === "refused" ? [journal.reason] : journal.notes;
  await printNotes(io, notes);
  if (journal.type === "refused") return null;
  const { sessionStory } = await import("../session-story.ts");
  return { story: sessionStory(journal.records), notes };
}

async function exportTo(file: string, id: string, { io }: Context): Promise<number> {
  const [, kind] = /\.(md|html)$/.exec(file) ?? [];
  if (kind !== "md" && kind !== "html")
    throw new UsageError(`The file must end in .md or .html, and ${quoted(file)} does not.`);
  const session = await sessionNamed(id, troupeHome(io.env, io.homedir));
  const read = await readStory(session, io);
  if (read === null) return exitCodes.notDone;
  const { sessionDocument } = await import("../session-document.ts");
  const path = resolve(io.cwd, file);
  try {
    // Only its user may read it, as the journal.
    await writeFile(path, sessionDocument(read.story, kind), { flag: "wx", mode: 0o600 });
  } catch (error) {
    const why =
      errorCode(error) === "EEXIST" ? "it exists already; choose another name" : errorMessage(error);
    await printNotes(io, [`${path} was not written: ${why}.`]);
    return exitCodes.notDone;
  }
  await io.stdout.write(`${path}\n`);
  return exitCodes.done;
}

const json = flag({ name: "json", summary: "print one JSON object per change" });
const once = flag({ name: "once", summary: "print the current state once" });

/** `troupe top`: what the agents of a running session do, from another terminal. */
export const topCommand: Command = {
  name: "top",
  usage: ["top [SESSION] [--once] [--json]"],
  takes: "[SESSION]",
  summary: "watch the agents of a running session from another terminal",
  details: [
    "Without SESSION: the only running one of this directory, else the only one of all.",
    "It reads the session's journal: a step shows when it is written there.",
    "Without a terminal it prints the current state once.",
  ],
  options: [json, once],
  examples: [
    ["troupe top", "the agents of the session that runs here; q leaves"],
    ["troupe top 3fk2 --json --once", "what they do just now, for a script"],
  ],
  run: runTop,
};

async function runTop(args: Arguments, { io }: Context): Promise<number> {
  const [id] = args.positionals;
  const { watchSession } = await import("../top/top.ts");
  return watchSession({ id, json: args.value(json), once: args.value(once) }, io);
}

/** `troupe inbox`: what waits for the user, in all sessions. */
export const inboxCommand: Command = {
  name: "inbox",
  usage: ["inbox [--json]", "inbox ID ANSWER"],
  summary: "what waits for you in all your sessions, and your answers to it",
  details: [
    "It lists permission requests, questions, plans, paused models, rejected and unmerged work, spent budgets and sessions that were cut off, the longest wait first.",
    "An answer is typed as where the session runs: y, s, n or d for a permission, a number or text for a question, y, a or n for a plan. The first answer counts.",
    "dismiss as the answer takes a result or a session that was cut off off the list, and changes nothing else.",
    "A session without a terminal waits for your answers only with --permission-prompt-tool inbox.",
  ],
  options: [jsonFlag],
  examples: [
    ["troupe inbox", "everything that waits"],
    ["troupe inbox 3fk2.7 y", "allow it once"],
    ["troupe inbox 3fk2.8 n use pnpm here", "refuse it, and say what to do instead"],
  ],
  run: runInbox,
};

async function runInbox(args: Arguments, { io }: Context): Promise<number> {
  const { printAnswered, printInbox } = await import("../inbox/inbox.ts");
  const [id, ...words] = args.positionals;
  if (id !== undefined) return printAnswered(id, words, io);
  await printInbox(args.value(jsonFlag), io);
  return exitCodes.done;
}
