import { expect, test } from "vitest";
import { wakingLines } from "../../src/cli/commands/start.ts";
import type { AgentView } from "../../src/events/event.ts";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import { agentView } from "../support/agent-view.ts";

const main = agentView({ id: MAIN, depth: 0, type: "main", activity: { type: "model" } });
const agent = (name: string): AgentView =>
  agentView({ id: ActorId.parse(`agent${name}`), parent: MAIN, description: name, background: true });

function told() {
  const lines: string[] = [];
  const waking = wakingLines();
  waking.print = (line) => lines.push(line);
  const on = (view: AgentView, change: Partial<AgentView> = {}) =>
    waking.onEvent({ type: "agent", view: { ...view, ...change } });
  return { lines, on };
}

const RESTS = { state: "waiting", hasLoop: false } as const;

test("a conversation that has answered, and is woken by one result and by two together", () => {
  const { lines, on } = told();
  const [a, b, c] = [agent("a"), agent("b"), agent("c")];
  for (const one of [main, a, b, c]) on(one);
  on(main, RESTS);
  on(main, RESTS);
  on(a, { state: "ended" });
  on(main, { ...RESTS, state: "running" });
  on(main);
  on(main, RESTS);
  on(b, { state: "ended" });
  on(c, { state: "ended" });
  on(c, { state: "ended" });
  on(main, RESTS);
  on(main);
  on(main, { state: "ended" });
  expect(lines).toEqual([
    "The conversation has answered; 3 agents in the background will wake it.",
    "“Explore · a” has finished and woken the conversation.",
    "The conversation has answered; 2 agents in the background will wake it.",
    "“Explore · b” and “Explore · c” have finished and woken the conversation.",
  ]);
});

test("of a result that comes while it is at work, and of agents that it waits for, nothing is said", () => {
  const { lines, on } = told();
  const [a, b] = [agent("a"), agent("b")];
  on(a);
  on(b, { background: false });
  on(main, { state: "waiting" });
  on(b, { state: "ended", background: false });
  on(a, { state: "ended" });
  on(main);
  on(main, RESTS);
  on(main, { state: "ended" });
  expect(lines).toEqual([]);
});
