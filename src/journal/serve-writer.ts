import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { systemClock } from "../mailbox/clock.ts";
import { GroupCommit } from "./group-commit.ts";
import { writeSentence } from "./journal-error.ts";
import { type JournalFile, openJournalFile, replaceJournalFile } from "./journal-file.ts";
import { recordText } from "./record-text.ts";
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
