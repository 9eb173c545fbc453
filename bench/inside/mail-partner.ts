import { setImmediate as nextRound } from "node:timers/promises";
import { type MessagePort, parentPort } from "node:worker_threads";
import { ActorId, callId } from "../../src/mailbox/ids.ts";
import { portMailbox } from "../../src/mailbox/mailbox.ts";
import { FromAgent } from "../../src/mailbox/messages.ts";
import { servicesOver } from "../../src/mailbox/service-rpc.ts";
import { type Errand, LETTER } from "../mailbox.ts";

parentPort?.on("message", async (errand: Errand) => {
  switch (errand.type) {
    case "send":
      return send(errand.port, errand.count);
    case "send-bare":
      for (let n = 0; n < errand.count; n++) errand.port.postMessage(LETTER);
      return;
    case "echo": {
      const mailbox = portMailbox<FromAgent, FromAgent>(errand.port, { incoming: FromAgent });
      return mailbox.onMail((letter) => void mailbox.send(letter));
    }
    case "echo-bare":
      return void errand.port.on("message", (letter) => errand.port.postMessage(letter));
    case "ask":
      return parentPort?.postMessage(await ask(errand.port, errand.count));
    default:
      errand satisfies never;
  }
});

/** As fast as the mailbox takes it, losing nothing. */
async function send(port: MessagePort, count: number): Promise<void> {
  const mailbox = portMailbox<FromAgent, FromAgent>(port, { incoming: FromAgent });
  for (let n = 0; n < count; ) {
    const fate = mailbox.send(LETTER);
    if (fate !== "dropped") n += 1;
    // Acknowledgements can only come in between.
    if (fate === "dropped" || (fate === "queued" && n % 512 === 0)) await nextRound();
  }
}

async function ask(port: MessagePort, count: number): Promise<number[]> {
  const services = servicesOver(port);
  const actor = ActorId.parse("asker");
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const began = performance.now();
    await services.before({
      id: callId(actor, n, 0),
      toolUse: `toolu_${n}`,
      tool: "Read",
      input: { file_path: "/a/small/file.txt" },
      cwd: "/a",
    });
    times.push(performance.now() - began);
  }
  port.close();
  return times;
}
