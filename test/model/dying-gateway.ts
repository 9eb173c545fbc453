import { parentPort } from "node:worker_threads";

/** The entry of a gateway thread that dies as soon as somebody wants to be connected. */
// The first message is its data.
parentPort?.once("message", () => parentPort?.on("message", () => process.exit(3)));
