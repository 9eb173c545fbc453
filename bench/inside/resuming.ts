import type { ModelClient } from "../../src/model/client.ts";
import { answer, given } from "../own-process.ts";

/** A killed session is taken up in a process that is new to it, until the first request of any of its actors. */
export interface ResumingTask {
  readonly home: string;
  readonly cwd: string;
  readonly id: string;
}

/** Milliseconds to the first request. */
export interface ResumingRun {
  /** From the start of the process. */
  readonly process: number;
  /** From `resumeSession` on. */
  readonly session: number;
  readonly unfinished: number;
}

const { home, cwd, id } = given<ResumingTask>();
const dist = new URL("../../dist/index.js", import.meta.url).href;
const { Session, resumeSession }: typeof import("../../src/index.ts") = await import(dist);

const first = Promise.withResolvers<number>();
const client: ModelClient = {
  name: "silent",
  ask: () => {
    first.resolve(performance.now());
    return new Promise(() => {});
  },
};
const began = performance.now();
const restoring = await resumeSession({ home, cwd, session: { id } });
if (restoring.type === "refused") throw new Error(restoring.reason);
const session = new Session({
  ...{ cwd, home, model: { provider: "client", client }, resume: restoring.session },
  agents: [{ name: "reader", whenToUse: "never", prompt: "You read.", tools: ["Read"] }],
  limits: { maxTurns: 10_000 },
});
const { main, agents } = session.unfinished();
void session.resumeUnfinished();
const at = await first.promise;
await answer({
  process: at,
  session: at - began,
  unfinished: agents.length + (main ? 1 : 0),
} satisfies ResumingRun);
process.kill(process.pid, "SIGKILL");
