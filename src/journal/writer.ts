/** Entry of the journal thread: plain write and fdatasync on one descriptor, so no busy thread pool is in the way. */
import { closeSync, fdatasyncSync, ftruncateSync, writeSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "../mailbox/clock.ts";
import { GroupCommit, type JournalFile } from "./group-commit.ts";
import { writeSentence } from "./journal-error.ts";
import { createPrivateFile, makePrivateFolders } from "./private-files.ts";
import { recordText } from "./record-text.ts";
import type { FromWriter, ToWriter, WriterData } from "./writer-lane.ts";

function openJournal({ home, folder, path }: WriterData): JournalFile {
  makePrivateFolders(home, folder);
  const fd = createPrivateFile(path);
  return {
    write: (bytes) => writeSync(fd, bytes),
    sync: () => fdatasyncSync(fd),
    truncate: (length) => ftruncateSync(fd, length),
    close: () => closeSync(fd),
  };
}

function main(): void {
  if (parentPort === null) throw new Error("writer.ts is the entry of a thread; start it with startJournal.");
  const port = parentPort;
  const data: WriterData = workerData;
  const { path } = data;
  const commits = new GroupCommit({
    path,
    clock: systemClock,
    open: () => openJournal(data),
    reply: (message: FromWriter) => port.postMessage(message),
  });
  commits.begin();
  // Whatever arrived during the last fsync is taken at once: that is the group.
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

/** Answers whether the group has room for more. */
function add(
  commits: GroupCommit,
  { path, redaction }: WriterData,
  { type, at, event }: Exclude<ToWriter, { type: "close" }>,
): boolean {
  const awaited = type === "append";
  try {
    return commits.add({ awaited, text: recordText(path, at, event, redaction) });
  } catch (error) {
    commits.refuse(awaited, writeSentence(path, error));
    return true;
  }
}

main();
