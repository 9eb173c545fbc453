import { setTimeout as pause } from "node:timers/promises";
import { type MessagePort, parentPort } from "node:worker_threads";
import { ActorId, callId } from "../../src/mailbox/ids.ts";
import { servicesOver } from "../../src/mailbox/service-rpc.ts";

/** One agent: asks `count` times, so many milliseconds apart (0: one after the other), for a command of `cwd`. */
export interface AskingErrand {
  readonly port: MessagePort;
  /** Where the times go, in milliseconds. */
  readonly answer: MessagePort;
  readonly count: number;
  readonly everyMs: number;
  readonly cwd: string;
}

parentPort?.on("message", async ({ port, answer, count, everyMs, cwd }: AskingErrand) => {
  const services = servicesOver(port);
  const actor = ActorId.parse("asker");
  const times: number[] = [];
  // Agents do not all ask in the same moment.
  await pause(Math.random() * everyMs);
  for (let n = 0; n < count; n++) {
    const input = { file_path: `${cwd}/src/a.ts` };
    const began = performance.now();
    await services.before({ id: callId(actor, n, 0), toolUse: `toolu_${n}`, tool: "Read", input, cwd });
    times.push(performance.now() - began);
    if (everyMs > 0) await pause(everyMs);
  }
  answer.postMessage(times);
  answer.close();
  port.close();
});
