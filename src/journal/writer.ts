/** Entry of the journal thread: plain write and fdatasync on one descriptor, so no busy thread pool is in the way. */
import { closeSync, fdatasyncSync, ftruncateSync, writeSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "../mailbox/clock.ts";
import { GroupCommit, type JournalFile } from "./group-commit.ts";
import { journalFile } from "./place.ts";
import { createPrivateFile, makePrivateFolders } from "./private-files.ts";
import type { FromWriter, ToWriter, WriterData } from "./writer-lane.ts";

function openJournal({ home, folder }: WriterData): JournalFile {
  makePrivateFolders(home, folder);
  const fd = createPrivateFile(journalFile(folder));
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
  const commits = new GroupCommit({
    path: journalFile(data.folder),
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
      const room = commits.add({ awaited: next.type === "append", text: next.text });
      next = room ? receiveMessageOnPort(port)?.message : undefined;
    }
    commits.settle();
  });
}

main();
