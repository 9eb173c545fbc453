import { parentPort } from "node:worker_threads";
import { serveCalls } from "./serve-calls.ts";

/** The entry of a tool thread. */
if (parentPort) serveCalls(parentPort);
