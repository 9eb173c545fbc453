// As little as a thread can do: start, say so, and answer what it is told.
const { parentPort } = require("node:worker_threads");
parentPort.on("message", (message) => parentPort.postMessage(message));
parentPort.postMessage("up");
