import { parentPort } from "node:worker_threads";

/** The entry of a gateway thread that throws outside a request as soon as somebody wants to be connected. */
parentPort?.once("message", () => {
  // The first message is its data.
  parentPort?.on("message", () => {
    setImmediate(() => {
      throw new Error("a buffer too many");
    });
  });
});
