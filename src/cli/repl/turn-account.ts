import type { AgentResult } from "../../events/agent-result.ts";
import type { SessionUsage } from "../../features/budget/usage-meter.ts";
import type { OfferedModel } from "../../features/models/index.ts";
import { shorten } from "../../lib/text.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { Paint } from "../../terminal/colour.ts";
import { counted, dollars, shortCount, shortTime } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { TaskView } from "../../tools/background.ts";
import { statusMark, statusText } from "../agent-text.ts";
import { denialSentence } from "../results.ts";
import { resumeHint, unfinishedText } from "../unfinished.ts";

/**
 * Starts counting what a turn uses. Returns a function to "✓ done · 2 turns · 1 agent · 3.4k tokens · 8.4 s", and a
 * sentence for each further remark. `isStopped`: by the user.
 */
export function beginAccount(session: SupervisorHandle) {
  const before = session.usage();
  const known = new Set<ActorId>(before.agents.map(({ id }) => id));
  return (
    { id, summary }: AgentResult,
    { ms, isStopped }: { readonly ms: number; readonly isStopped: boolean },
    paint: Paint,
  ): string[] => {
    const after = session.usage();
    const agents = after.agents.filter((agent) => agent.id !== id && !known.has(agent.id)).length;
    const figures = [
      statusText(summary.status),
      counted(turnsOf(id, after) - turnsOf(id, before), "turn"),
      ...(agents > 0 ? [counted(agents, "agent")] : []),
      `${shortCount(totalTokens(after.usage) - totalTokens(before.usage))} tokens`,
      shortTime(ms),
    ];
    const isKnown = summary.reason === undefined || (isStopped && summary.status === "cancelled");
    const reason = isKnown ? [] : [safeLine(summary.reason ?? "")];
    const denials = after.denials.slice(before.denials.length);
    const denied = denialSentence({ ...after, denials });
    return [
      ...reason,
      ...(denied === undefined ? [] : [denied]),
      `${statusMark(summary.status, paint)} ${paint("dim", figures.join(" · "))}`,
    ];
  };
}

/** Counts from the start of the conversation. */
function turnsOf(actor: ActorId, { agents }: SessionUsage): number {
  return agents.find(({ id }) => id === actor)?.turns ?? 0;
}

/** What the command that resumes a conversation depends on. */
export interface ConversationPlace {
  /** The directory it is about. */
  readonly cwd: string;
  /** The user's directory. */
  readonly here: string;
  /** See `SessionSetup.engine`. */
  readonly engine?: string | undefined;
}

/** Returns the totals of the conversation, what was stopped with it, and how to resume. */
export function conversationLines(
  { session, agents, usage, costUsd }: SessionUsage,
  unfinished: ReturnType<SupervisorHandle["unfinished"]>,
  tasks: readonly TaskView[],
  { cwd, here, engine }: ConversationPlace,
): string[] {
  const others = agents.filter(({ id }) => id !== MAIN).length;
  const who = unfinishedText(unfinished);
  const figures = [
    counted(others, "agent"),
    `${shortCount(totalTokens(usage))} tokens`,
    ...(costUsd > 0 ? [dollars(costUsd)] : []),
  ];
  return [
    `${figures.join(" · ")} · troupe sessions show ${session}`,
    ...(who === null ? [] : [`${who} stopped at work; resuming continues it.`]),
    ...tasksText(tasks),
    resumeHint(session, cwd, here, { engine }),
  ];
}

/** Names the commands and scripts that end with the conversation, and says what can be done. */
function tasksText(tasks: readonly TaskView[]): string[] {
  return (["command", "script"] as const).flatMap((kind) => {
    const ended = tasks.filter((task) => task.kind === kind && task.state === "running");
    if (ended.length === 0) return [];
    const names = ended.map(({ title, ms }) => `${shorten(safeLine(title), 60)} (${shortTime(ms)})`);
    const then =
      kind === "command"
        ? "resuming does not start it again; ask for that."
        : "ask to resume its run, and finished calls keep their results.";
    const them = ended.length === 1 ? then : then.replace(/\bit\b/, "them").replace("its run", "their runs");
    return [`Stopped ${counted(ended.length, `background ${kind}`)}: ${names.join(", ")}; ${them}`];
  });
}

/** Formats what the session has used: in all, and for each model. */
export function formatCost({ costUsd, usage, apiMs, agents, models }: SessionUsage): string {
  const others = agents.filter(({ id }) => id !== MAIN).length;
  const all = [
    dollars(costUsd),
    `${shortCount(totalTokens(usage))} tokens`,
    counted(others, "agent"),
    `${shortTime(apiMs)} of requests`,
  ];
  const rows = models.map(
    ({ model, usage: used, costUsd: usd }) =>
      `${safeLine(model)}  ${dollars(usd)} · ${shortCount(totalTokens(used))} tokens`,
  );
  return [`This session: ${all.join(" · ")}`, ...rows].join("\n");
}

/** Says how much of its window the conversation uses; below it comes what it was sent first. `tokens`: null if not known. */
export function contextLine(tokens: number | null, models: readonly OfferedModel[]): string {
  if (tokens === null)
    return "How much this conversation uses is known after its next reply. It begins with:";
  const window = models.find(({ isCurrent }) => isCurrent)?.windowTokens;
  const of =
    window === undefined ? "" : ` of ${shortCount(window)} (${Math.round((100 * tokens) / window)} %)`;
  return `This conversation uses ${shortCount(tokens)} tokens${of}. It began with:`;
}
