/** Entry of the journal thread: plain write and fdatasync on one descriptor, so no busy thread pool is in the way. */
import { parentPort } from "node:worker_threads";
import { serveWriter } from "./serve-writer.ts";
import type { WriterData } from "./writer-messages.ts";

const port = parentPort;
if (port === null) throw new Error("writer.ts is the entry of a thread; start it with startJournal.");
port.once("message", (data: WriterData) => serveWriter(port, data));
