import * as z from "zod/mini";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { Script, ScriptedCall, ScriptedTurn } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { repliesIn, taskOf } from "../../supervisor/resume-world.ts";
import { type HostName, type Supervised, supervised } from "../../support/supervised.ts";

/**
 * A model that costs a dollar for a thousand tokens of output and nothing for what it reads: an ordinary reply is
 * taken to cost a dollar, and a summary a fifth of the budget or four dollars, whichever is less, however long prompts and descriptions of tools are.
 */
export const COIN = "coin";
export const PRICES = { [COIN]: { input: 0, output: 1000, cacheWrite: 0, cacheRead: 0 } };
export const REPLY_USD = 1;

/** A reply that costs so many dollars. */
export function costing(usd: number, turn: ScriptedTurn): ScriptedTurn {
  return { ...turn, usage: { output_tokens: Math.round(usd * 1000) } };
}

export const tick = defineTool({
  runsIn: "caller",
  name: "Tick",
  description: "Does nothing.",
  inputSchema: z.object({}),
  permissionLevel: "read",
  call: async () => "tock",
});
export const TICK: ScriptedCall = { name: "Tick", input: {} };

/** A call that starts an agent of a kind with a task. */
export function start(type: string, prompt: string, more: object = {}): ScriptedCall {
  return { name: "Agent", input: { description: prompt, prompt, subagent_type: type, ...more } };
}

const plain = { name: "worker", whenToUse: "never", prompt: "You work.", tools: ["Tick", "Agent"] } as const;

export const kind = (name: string, usd: number) => ({ ...plain, name, budget: { usd } });

/** A session of such a model, on the test's own thread unless another one is asked for. */
export function paying(
  script: Script,
  { hostName = "in-thread", ...options }: Partial<SupervisorOptions> & { readonly hostName?: HostName } = {},
): Supervised & { readonly warnings: () => string[] } {
  const { agents = [], ...others } = options;
  const all = supervised(hostName, script, {
    ...{ model: COIN, prices: PRICES, tools: [tick], agents: [plain, ...agents], quoteAboveUsd: 1_000_000 },
    ...others,
  });
  const warnings = () => all.events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  return { ...all, warnings };
}

/** By what an agent was asked for: what it does in its first reply, in its second, …; the last one for ever. */
export function byTask(
  tasks: Readonly<Record<string, readonly ((request: ModelRequest) => ScriptedTurn)[]>>,
): Script {
  return (request) => {
    const turns = tasks[taskOf(request)];
    const turn = turns?.[Math.min(repliesIn(request), turns.length - 1)];
    if (turn === undefined) throw new Error(`Nobody knows the task ${taskOf(request)}.`);
    return turn(request);
  };
}

/** Works on and on, a dollar each time, until it is asked for its answer; that one costs all it may, if nothing is said. */
export const onAndOn =
  (answer: string, usd?: number) =>
  (request: ModelRequest): ScriptedTurn =>
    request.withoutTools
      ? costing(usd ?? request.maxTokens / 1000, { text: answer })
      : costing(REPLY_USD, { calls: [TICK] });
