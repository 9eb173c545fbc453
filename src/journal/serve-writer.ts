import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { systemClock } from "../lib/clock.ts";
import { GroupCommit } from "./group-commit.ts";
import { JournalError, writeSentence } from "./journal-error.ts";
import { type JournalFile, openJournalFile, replaceJournalFile } from "./journal-file.ts";
import { MAX_RECORD_CHARS } from "./lines.ts";
import { type Redaction, redactJson } from "./redact-event.ts";
import type { SessionEvent } from "./session-events.ts";
import type { FromWriter, ToWrite, ToWriter, WriterData } from "./writer-messages.ts";

const NOTHING = { seq: 0, bytes: 0 };

/** Runs the journal thread until it must close. Tests pass `openFile` to break its disk. */
export function serveWriter(
  port: MessagePort,
  data: WriterData,
  openFile: (data: WriterData) => JournalFile = openJournalFile,
): void {
  const { path, beginning } = data;
  const reply = (message: FromWriter) => port.postMessage(message);
  const commits = new GroupCommit({
    path,
    clock: systemClock,
    from: beginning.type === "create" ? NOTHING : beginning.end,
    open() {
      const file = openFile(data);
      reply({ type: "opened" });
      return file;
    },
    replace: (keep, bytes) => replaceJournalFile(path, keep, bytes),
    reply,
  });
  commits.begin();
  // Take everything that arrived during the last fsync: that is the group.
  port.on("message", (first: ToWriter) => {
    let next: ToWriter | undefined = first;
    while (next !== undefined) {
      if (next.type === "close") {
        commits.close();
        port.close();
        return;
      }
      next = add(commits, data, next) ? receiveMessageOnPort(port)?.message : undefined;
    }
    commits.settle();
  });
}

/** Returns whether the group has room for more. */
function add(commits: GroupCommit, { path, redaction }: WriterData, { type, at, event }: ToWrite): boolean {
  try {
    return commits.add({ awaited: type === "append", text: recordText(path, at, event, redaction) });
  } catch (error) {
    commits.refuse(writeSentence(path, error));
    return true;
  }
}

/**
 * Returns a record's line from `"at"` to its event; the writer adds its number and its checksum. Throws a
 * `JournalError` for what no reader would accept.
 */
export function recordText(
  path: string,
  at: string,
  event: SessionEvent,
  redaction: Redaction | null = null,
): string {
  const json = jsonOf(path, event);
  const text = `"at":${JSON.stringify(at)},"event":${redaction ? redactJson(json, redaction) : json}`;
  if (text.length <= MAX_RECORD_CHARS) return text;
  throw new JournalError(
    `A record (${event.type}) of ${text.length} characters is too large for the journal ${path}, which takes ${MAX_RECORD_CHARS}; put the large content into a file and refer to it.`,
    path,
    "record",
  );
}

function jsonOf(path: string, event: SessionEvent): string {
  try {
    return JSON.stringify(event);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new JournalError(
      `A record (${event.type}) was not written to the journal ${path} because it is not plain data (${why}); this is a mistake in the program that made it, please report it.`,
      path,
      "record",
    );
  }
}
