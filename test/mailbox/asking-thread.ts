/** A thread that asks its supervisor once and tells which of Node's own modules that made it load. */
import { type MessagePort, parentPort } from "node:worker_threads";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { servicesOver } from "../../src/mailbox/service-rpc.ts";

parentPort?.once("message", async (port: MessagePort) => {
  await servicesOver(port).callTool({ id: callId(MAIN, 1, 0), toolUse: "toolu_1", tool: "Agent", input: {} });
  // Not in Node's documented interface, but the only list there is of what a thread has loaded.
  parentPort?.postMessage(Reflect.get(process, "moduleLoadList"));
  port.close();
});
