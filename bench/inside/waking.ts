import type { ModelClient, ModelOutcome, ModelRequest } from "../../src/model/client.ts";
import { answer, given } from "../own-process.ts";

/** So many times: a conversation starts an agent in the background, ends its turn, and is woken by the agent's result. */
export interface WakingTask {
  readonly home: string;
  readonly cwd: string;
  readonly rounds: number;
}

/** Milliseconds from the agent's last reply to the conversation's next request, of each round. */
export type WakingRun = readonly number[];

const { home, cwd, rounds } = given<WakingTask>();
const dist = new URL("../../dist/index.js", import.meta.url).href;
const { Session }: typeof import("../../src/index.ts") = await import(dist);

const usage = {
  ...{ input_tokens: 0, output_tokens: 0 },
  ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
};
const started = {
  ...{ description: "wait", prompt: "Wait until you are told.", subagent_type: "Explore" },
  run_in_background: true,
};

let idle = Promise.withResolvers<void>();
let answered = Promise.withResolvers<void>();
let repliedAt = 0;
const samples: number[] = [];

const client: ModelClient = {
  name: "waking",
  async ask(request) {
    if (request.actor !== "main") {
      await idle.promise;
      repliedAt = performance.now();
      return text(request, "It is done.");
    }
    const last = JSON.stringify(request.messages.at(-1));
    if (last.includes("<task-notification>")) {
      samples.push(performance.now() - repliedAt);
      return text(request, "I have heard.");
    }
    if (last.includes("tool_result")) return text(request, "I wait.");
    return reply(request, [
      {
        ...{ type: "tool_use", id: `call_${request.messages.length}`, name: "Agent", input: started },
        caller: { type: "direct" },
      },
    ]);
  },
};

function text(request: ModelRequest, said: string): ModelOutcome {
  return reply(request, [{ type: "text", text: said, citations: null }]);
}

function reply(
  { model }: ModelRequest,
  content: readonly { readonly type: string; readonly [field: string]: unknown }[],
): ModelOutcome {
  const stopReason = content[0]?.type === "text" ? "end_turn" : "tool_use";
  return { type: "reply", reply: { content, stopReason, usage, model, apiMs: 0 } } as unknown as ModelOutcome;
}

const session = new Session({
  ...{ cwd, home, model: { provider: "client", client }, background: "wake" },
  limits: { maxChildren: 10_000, maxAgentsPerSession: 10_000 },
});
void (async () => {
  for await (const { type } of session.events()) {
    if (type === "answered") answered.resolve();
  }
})();
// The first round is not counted: code and threads are cold.
for (let round = -1; round < rounds; round++) {
  idle = Promise.withResolvers();
  answered = Promise.withResolvers();
  const { summary } = await session.prompt("Start one and wait for it.");
  if (summary.text !== "I wait.") throw new Error(`It did not wait: ${summary.status}, ${summary.text}`);
  idle.resolve();
  await answered.promise;
}
await session.close();
await answer(samples.slice(1) satisfies WakingRun);
process.exit();
