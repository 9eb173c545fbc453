import { parentPort } from "node:worker_threads";

/** The entry of a gateway thread that dies as soon as somebody wants to be connected. */
parentPort?.on("message", () => process.exit(3));
