/** Entry of the journal thread: plain write and fdatasync on one descriptor, so no busy thread pool is in the way. */
import { parentPort, workerData } from "node:worker_threads";
import { serveWriter } from "./serve-writer.ts";

if (parentPort === null) throw new Error("writer.ts is the entry of a thread; start it with startJournal.");
serveWriter(parentPort, workerData);
