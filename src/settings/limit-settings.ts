import { type LimitRange, limitRanges } from "./limits.ts";
import { type Setting, setting, wholeSetting } from "./setting.ts";

type LimitName = keyof typeof limitRanges;

export const NOT_IN_PROJECT = "A project's settings cannot set it.";
export const ONLY_STRICTER = "A project's settings can only make it stricter.";

/** The settings of limits, by the names that the runtime gives them. */
export const limitSettings = {
  maxAgents: limit("maxAgents", "Agents that run at the same time; the others wait in order."),
  maxDepth: limit("maxDepth", "How deep agents can start agents; the main conversation is 0."),
  patienceMs: limit("patienceMs", "Milliseconds in which a request is retried."),
  limitPatienceMs: limit(
    "limitPatienceMs",
    "Milliseconds that a model may be paused in all for a limit or a lost network, before its requests fail and a command that runs alone is left, to be resumed.",
  ),
  idleMs: limit(
    "idleMs",
    "Milliseconds without output of the model (pings do not count) after which a reply is given up.",
  ),
  backgroundMs: limit(
    "backgroundMs",
    "Milliseconds that an agent which has answered is kept for its background commands, whose notices make it continue; then they are stopped.",
  ),
  stuckWarnMs: limit("stuckWarnMs", "Milliseconds that the thread of a call can hang before a warning."),
  stuckMs: limit("stuckMs", "Milliseconds that the thread of a call can hang before it is ended."),
  toolMs: limit("toolMs", "Milliseconds that a call in a thread can take; commands have their own."),
  commandMs: limit(
    "commandMs",
    "Milliseconds that a command in the foreground can take if its call sets no timeout.",
  ),
  maxCommandMs: limit(
    "maxCommandMs",
    "The longest timeout that a call of Bash can set, in milliseconds; at least `troupe.commandMs`.",
  ),
  mcpStartMs: limit("mcpStartMs", "Milliseconds that the first request waits for MCP servers to start."),
  graceMs: limit("graceMs", "Milliseconds that a cancelled agent has to end by itself."),
  maxTokens: limit(
    "maxTokens",
    "Tokens of one reply, at most the model's own limit. If it is not set, a reply can use that limit, if known, up to a sixth of the window.",
  ),
  maxTurns: limit(
    "maxTurns",
    "Turns per prompt, or of an agent whose definition sets none, after which a conversation writes its summary.",
  ),
  thinkingTokens: limit("thinkingTokens", "Tokens to think with; 0 is off."),
  parallelCalls: limit(
    "parallelCalls",
    "Calls of one reply that an agent runs at the same time, such as Read and Grep.",
  ),
  maxChildren: bound("maxChildren", "Agents that one agent can start in all."),
  maxAgentsPerSession: bound("maxAgentsPerSession", "Agents that a session can start in all."),
  sameFailures: limit(
    "sameFailures",
    "Agents of one fan-out that fail in a row for the same reason before no more are started; 0 is never.",
  ),
  agentMinutes: bound(
    "agentMinutes",
    "Minutes after which an agent is stopped, once it was asked for its answer; 0 is never.",
  ),
  sessionMinutes: bound("sessionMinutes", "Minutes after which a session's agents are stopped; 0 is never."),
  backgroundMinutes: bound(
    "backgroundMinutes",
    "Minutes that `troupe -p` waits for background agents once it has its answer; 0 is until they end.",
  ),
} satisfies Readonly<Record<LimitName, Setting<number>>>;

function limit(name: LimitName, summary: string): Setting<number> {
  const range: LimitRange = limitRanges[name];
  return setting(`troupe.${name}`, wholeSetting(range), summary, { fallback: "" });
}

/** A limit that a project can only make stricter. Its default counts if no file sets it, and 0 is no limit. */
function bound(name: LimitName, summary: string): Setting<number> {
  const { usual } = limitRanges[name];
  return {
    ...limit(name, `${summary} ${ONLY_STRICTER}`),
    fallback: String(usual),
    trust: "stricter",
    width: (value) => (typeof value === "number" ? value : usual) || Number.POSITIVE_INFINITY,
  };
}
