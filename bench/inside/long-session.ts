import { statSync } from "node:fs";
import { join } from "node:path";
import type { ModelClient, ModelOutcome } from "../../src/model/client.ts";
import { answer, given } from "../own-process.ts";

/** A real session of one conversation and its agents that read files, killed once its journal is so long. */
export interface LongSessionTask {
  readonly home: string;
  readonly cwd: string;
  /** What they read. */
  readonly file: string;
  readonly agents: number;
  /** Calls in each reply: each is two records, each turn two more. */
  readonly calls: number;
  readonly events: number;
}

export interface LongSession {
  readonly id: string;
  readonly folder: string;
}

const { home, cwd, file, agents, calls, events } = given<LongSessionTask>();
const dist = new URL("../../dist/index.js", import.meta.url).href;
const { Session }: typeof import("../../src/index.ts") = await import(dist);

let written = 0;
const full = Promise.withResolvers<void>();
const usage = {
  ...{ input_tokens: 0, output_tokens: 0 },
  ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
};

const model: ModelClient = {
  name: "reading",
  ask({ actor, model: name, messages }) {
    const starts = actor === "main" && messages.length === 1;
    // Replies that were asked for at the same time are not all there yet.
    if (written >= events + agents * calls * 4) {
      full.resolve();
      return new Promise(() => {});
    }
    written += 2 + 2 * (starts ? agents : calls);
    const wanted = starts
      ? Array.from({ length: agents }, (_, n) => ({
          name: "Agent",
          input: {
            ...{ description: `part ${n}`, prompt: `Read part ${n}.`, subagent_type: "reader" },
            run_in_background: true,
          },
        }))
      : Array.from({ length: calls }, (_, n) => ({
          name: "Read",
          input: { file_path: file, offset: 1 + n, limit: 1 + (messages.length % 5) },
        }));
    const content = wanted.map((call, n) => ({
      ...{ type: "tool_use", id: `call_${actor}_${messages.length}_${n}`, caller: { type: "direct" } },
      ...call,
    }));
    const reply = { content, stopReason: "tool_use", usage, model: name, apiMs: 0 };
    return Promise.resolve({ type: "reply", reply } as ModelOutcome);
  },
};

const session = new Session({
  ...{ cwd, home, model: { provider: "client", client: model } },
  agents: [{ name: "reader", whenToUse: "never", prompt: "You read.", tools: ["Read"] }],
  limits: { maxTurns: 10_000 },
});
void session.prompt("Read all parts.");
await full.promise;
// What was noted is on disk soon: when the file grows no more, the others have come to their ends too.
for (let size = -1; size !== lengthOf(); size = await laterLength(size));
await answer({ id: session.session, folder: session.folder } satisfies LongSession);
process.kill(process.pid, "SIGKILL");

function lengthOf(): number {
  return statSync(join(session.folder, "journal.jsonl")).size;
}

function laterLength(_before: number): Promise<number> {
  const size = lengthOf();
  return new Promise((resolve) => setTimeout(() => resolve(size), 300));
}
