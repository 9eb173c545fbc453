import type { AgentView } from "../../events/event.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { shortTime } from "../../terminal/figures.ts";
import { safeLine, safeText } from "../../terminal/safe-text.ts";
import type { TaskView } from "../../tools/background.ts";
import { agentName, formatDoingAndOverlap, stateMark } from "../agent-text.ts";
import { findById, stopAgents } from "./agent-commands.ts";
import type { SlashContext } from "./slash-context.ts";

const USAGE = "/tasks ID shows what it has printed; /tasks stop ID stops it.";
const MOST_LINES = 40;

/** `/tasks [ID | stop ID]`: what runs in the background, what it has printed, and its end. */
export async function tasks(argument: string, context: SlashContext): Promise<string> {
  const [first = "", second, ...others] = argument.split(/\s+/).filter(Boolean);
  if (first === "") return list(context);
  if (others.length > 0 || (second !== undefined && first !== "stop")) return USAGE;
  if (first === "stop") return second === undefined ? USAGE : stop(second, context);
  return output(first, context);
}

async function list(context: SlashContext): Promise<string> {
  const { session, paint, now } = context;
  const commands = session.tasks.list();
  const agents = session.tree().filter(({ id, state }) => id !== MAIN && state !== "ended");
  if (commands.length + agents.length === 0)
    return "Nothing runs in the background, and no background command has ended in this conversation.";
  const rows = await Promise.all(commands.map((task) => taskRow(task, context)));
  const agentRows = agents.map((view) => {
    const time = shortTime(now() - (view.startedAt ?? view.createdAt));
    const doing = formatDoingAndOverlap(view, now()) || view.state;
    return `${stateMark(view, paint)} ${paint("bold", view.id)}  ${agentName(view)}  ${paint("dim", `agent · ${time} · ${doing}`)}`;
  });
  return [...rows, ...agentRows, paint("dim", USAGE)].join("\n");
}

async function taskRow(
  { id, kind, title, state, ending, ms }: TaskView,
  context: SlashContext,
): Promise<string> {
  const { session, paint } = context;
  const mark = state === "running" ? paint("cyan", "●") : paint("dim", "○");
  const said = kind === "command" ? lastLine(await textOf(session, id)) : "";
  const facts = [kind, shortTime(ms), ...(ending === null ? [] : [safeLine(ending)])].join(" · ");
  const last = said === "" ? "" : `\n    ${paint("dim", said)}`;
  return `${mark} ${paint("bold", id)}  ${safeLine(title)}  ${paint("dim", facts)}${last}`;
}

async function textOf({ tasks: service }: SlashContext["session"], id: string): Promise<string> {
  const { head, tail } = await service.output(id);
  return tail === null ? head : `${head}\n…\n${tail}`;
}

function lastLine(text: string): string {
  return safeLine(text.trimEnd().split("\n").at(-1) ?? "").slice(0, 200);
}

async function output(word: string, { session, now }: SlashContext): Promise<string> {
  const found = taskOf(word, session);
  if (typeof found === "string") return found;
  if (found.type === "agent") {
    const { view } = found;
    if (view.summary !== null) return safeText(view.summary.text) || "It has no report.";
    return `${agentName(view)}: ${formatDoingAndOverlap(view, now()) || view.state}. ↓ in an empty prompt looks inside.`;
  }
  const { task } = found;
  const lines = safeText(await textOf(session, task.id))
    .trimEnd()
    .split("\n");
  const shown = lines.slice(-MOST_LINES);
  const cut = lines.length > shown.length ? [`… ${lines.length - shown.length} earlier lines`] : [];
  const end = task.ending === null ? `It has run for ${shortTime(task.ms)}.` : safeLine(task.ending);
  return [...cut, ...(lines.join("") === "" ? ["It has printed nothing."] : shown), end].join("\n");
}

async function stop(word: string, context: SlashContext): Promise<string> {
  const found = taskOf(word, context.session);
  if (typeof found === "string") return found;
  if (found.type === "agent") return stopAgents(found.view.id, context);
  const { id, title, ending } = found.task;
  if (ending !== null) return `${safeLine(title)} has ended already.`;
  await context.session.tasks.stop(id);
  return `${safeLine(title)} was stopped; the agent that started it gets a notice.`;
}

type Found =
  | { readonly type: "task"; readonly task: TaskView }
  | { readonly type: "agent"; readonly view: AgentView };

function taskOf(word: string, session: SlashContext["session"]): Found | string {
  const agents = session.tree().filter(({ id }) => id !== MAIN);
  const all = new Map<string, Found>([
    ...session.tasks.list().map((task) => [task.id, { type: "task", task }] as const),
    ...agents.map((view) => [view.id, { type: "agent", view }] as const),
  ]);
  return findById(word, "task", all);
}
