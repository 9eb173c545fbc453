import type { Todo } from "../../mailbox/messages.ts";
import type { Paint } from "../colour.ts";
import { cutToWidth, displayWidth } from "../display-width.ts";
import { counted, dollars } from "../figures.ts";
import { safeLine } from "../safe-text.ts";

/** What the line below the prompt says of a session. */
export interface SessionStatus {
  /** The mode of vim's keys; null if the prompt has none. */
  readonly vim: string | null;
  readonly model: string;
  readonly mode: string;
  /** The share of the model's window that the conversation uses, from 0; null if not known yet. */
  readonly context: number | null;
  readonly costUsd: number;
  /** Null outside of a git repository. */
  readonly branch: string | null;
  /** Agents at work, without the main conversation; `waiting`: those of them that cannot continue now. */
  readonly agents: { readonly working: number; readonly waiting: number };
  /** Commands and scripts that run in the background. */
  readonly tasks: number;
  /** The main conversation works. */
  readonly isWorking: boolean;
}

const INDENT = "  ";
/** A conversation is compacted soon after. */
const ALMOST_FULL = 0.8;

/** Returns the line; on a narrow terminal the least important parts are left out, the mode last. */
export function statusLine(status: SessionStatus, columns: number, paint: Paint): string {
  let parts = partsOf(status, paint).filter(({ text }) => text !== "");
  const width = () => INDENT.length + displayWidth(parts.map(({ text }) => text).join(" · "));
  while (parts.length > 1 && width() > columns) {
    const least = parts.reduce((a, b) => (b.rank > a.rank ? b : a));
    parts = parts.filter((part) => part !== least);
  }
  const [only] = parts;
  if (parts.length === 1 && only && width() > columns) return cutToWidth(INDENT + only.text, columns);
  const between = paint("dim", " · ");
  return INDENT + parts.map(({ text, painted = paint("dim", text) }) => painted).join(between);
}

interface Part {
  readonly text: string;
  /** The highest is left out first. */
  readonly rank: number;
  readonly painted?: string;
}

function partsOf(status: SessionStatus, paint: Paint): Part[] {
  const { vim, model, mode, context, costUsd, branch, agents, tasks, isWorking } = status;
  const share = context === null ? "" : `context ${Math.round(context * 100)} %`;
  const waiting =
    agents.waiting === 0 ? "" : ` (${agents.waiting} ${agents.waiting === 1 ? "waits" : "wait"})`;
  const working = agents.working === 0 ? "" : `${counted(agents.working, "agent")}${waiting}`;
  return [
    { text: vim ?? "", rank: 1 },
    { text: shortModel(model), rank: 4 },
    { text: mode, rank: 0, ...paintedMode(mode, paint) },
    {
      text: share,
      rank: 3,
      ...(context !== null && context >= ALMOST_FULL ? { painted: paint("yellow", share) } : {}),
    },
    { text: costUsd > 0 ? dollars(costUsd) : "", rank: 5 },
    { text: branch === null ? "" : cutToWidth(safeLine(branch), 30), rank: 6 },
    { text: working, rank: 2, ...(agents.waiting > 0 ? { painted: paint("yellow", working) } : {}) },
    { text: tasks === 0 ? "" : counted(tasks, "background task"), rank: 2.5 },
    { text: isWorking ? "Esc stops" : "", rank: 7 },
  ];
}

/** A mode in which less is asked must be seen. */
function paintedMode(mode: string, paint: Paint): Pick<Part, "painted"> {
  if (mode === "bypassPermissions") return { painted: paint("red", mode) };
  return mode === "default" ? {} : { painted: paint("cyan", mode) };
}

/** Without the vendor and the date. */
function shortModel(model: string): string {
  return safeLine(model)
    .replace(/^claude-/, "")
    .replace(/-\d{8}$/, "");
}

/** Returns the list of steps as at most `rows` rows, with the current one among them. */
export function todoRows(
  todos: readonly Todo[],
  { columns, rows, paint }: { readonly columns: number; readonly rows: number; readonly paint: Paint },
): string[] {
  if (todos.length === 0)
    return [paint("dim", cutToWidth("There are no todos. Ctrl-T closes this.", columns))];
  const done = todos.filter(({ status }) => status === "completed").length;
  const room = Math.max(1, rows - 1);
  const at = todos.findIndex(({ status }) => status !== "completed");
  const current = at < 0 ? todos.length - 1 : at;
  // What was done before the current step is the least interesting.
  const first = Math.max(0, Math.min(room > 1 ? current - 1 : current, todos.length - room));
  const shown = todos.slice(first, first + room);
  const hidden = todos.length - shown.length;
  const more = hidden === 0 ? "" : `, ${hidden} not shown`;
  const head = paint("dim", cutToWidth(`Todos: ${done} of ${todos.length} done${more}`, columns));
  return [head, ...shown.map((todo) => todoRow(todo, columns, paint))];
}

function todoRow({ content, activeForm, status }: Todo, columns: number, paint: Paint): string {
  const row = (mark: string, text: string) =>
    `${mark} ${cutToWidth(safeLine(text), Math.max(1, columns - 2))}`;
  switch (status) {
    case "completed":
      return paint("dim", row("✓", content));
    case "in_progress":
      return paint("bold", row("●", activeForm));
    case "pending":
      return row("○", content);
    default:
      return status satisfies never;
  }
}
