import { totalTokens } from "../../mailbox/conversation.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { agentName, doing, stateMark } from "../agent-text.ts";
import type { Paint } from "../colour.ts";
import { cutToWidth, displayWidth, padToWidth } from "../display-width.ts";
import { shortCount, shortTime } from "../figures.ts";
import type { Frame } from "../live-tree.ts";
import { safeLine } from "../safe-text.ts";
import { dollars } from "./dollars.ts";
import { inTreeOrder, isInTrouble, mostTelling } from "./tree-order.ts";

/** Below this a line has no columns of their own for figures. */
const NARROW = 60;
/** Wider lines are hard to follow with the eye. */
const WIDEST = 140;
/** From here on there is room for each agent's model. */
const WITH_MODEL = 110;

const TITLES = ["TURNS", "TOKENS", "COST", "SIGN"];

/**
 * A table of the agents that fits the frame, each under its parent. `SIGN` is how long ago an agent gave a sign of
 * life. Where there are more agents than rows, the last line counts those that are left out.
 */
export function agentTable(views: readonly AgentView[], now: number, frame: Frame): string[] {
  const width = Math.min(frame.columns, WIDEST);
  const titled = width >= NARROW && frame.rows > 2;
  const room = Math.max(0, frame.rows - (titled ? 1 : 0));
  const all = inTreeOrder(views);
  const shown = all.length <= room ? all : mostTelling(all, room - 1);
  const rows = shown.map(({ view, indent }) => ({
    view,
    // Deeper ones stand below each other, so that something of their names is left.
    lead: "  ".repeat(Math.min(indent, Math.floor(width / 8))),
    name: agentName(view),
    words: whatItDoes(view, now),
    cells: [...(width >= WITH_MODEL ? [cutToWidth(safeLine(view.model), 18)] : []), ...figures(view, now)],
  }));
  const lines = width < NARROW ? narrow(rows, width, frame) : wide(rows, width, { ...frame, titled });
  const left = all.length - shown.length;
  if (left > 0 && room > 0) lines.push(frame.paint("dim", cutToWidth(`… and ${left} more`, width)));
  return lines;
}

interface Row {
  readonly view: AgentView;
  readonly lead: string;
  readonly name: string;
  readonly words: string;
  readonly cells: readonly string[];
}

function narrow(rows: readonly Row[], width: number, { paint }: Frame): string[] {
  return rows.map(({ view, lead, name, words, cells }) => {
    const mark = markOf(view, paint);
    const room = width - lead.length - 2;
    if (room < 1) return mark;
    return `${lead}${mark} ${cutToWidth([name, words, cells.at(-1)].filter(Boolean).join("  "), room)}`;
  });
}

function wide(
  rows: readonly Row[],
  width: number,
  { paint, titled }: Frame & { readonly titled: boolean },
): string[] {
  const titles = [...(width >= WITH_MODEL ? ["MODEL"] : []), ...TITLES];
  const widths = titles.map((title, column) =>
    widest([title, ...rows.map(({ cells }) => cells[column] ?? "")]),
  );
  const figuresWidth = widths.reduce((sum, own) => sum + 2 + own, 0);
  const rest = width - figuresWidth - 2;
  const names = widest(["AGENT", ...rows.map(({ lead, name }) => `${lead}  ${name}`)]);
  const words = widest(["DOING", ...rows.map((row) => row.words)]);
  const forNames = Math.min(names, Math.max(Math.floor(rest * 0.45), rest - words));
  const right = (cells: readonly string[]) =>
    cells.map((cell, column) => `  ${padLeft(cell, widths[column] ?? 0)}`).join("");
  const head = `${padToWidth("  AGENT", forNames)}  ${padToWidth("DOING", rest - forNames)}${right(titles)}`;
  const lines = rows.map(({ view, lead, name, words: told, cells }) => {
    const left = padToWidth(name, forNames - lead.length - 2);
    const style = isInTrouble(view) ? "red" : "dim";
    const middle = paint(style, padToWidth(told, rest - forNames));
    return `${lead}${markOf(view, paint)} ${left}  ${middle}${right(cells)}`;
  });
  return titled ? [paint("bold", head), ...lines] : lines;
}

/** What a watch has found wrong comes first, then who writes to the same file, then why it waits, or what it does. */
function whatItDoes(view: AgentView, now: number): string {
  const words = doing(view, now);
  if (view.state === "ended") return words;
  const told = view.state === "waiting" && words !== "waiting" ? `waits: ${words}` : words;
  const first = [view.trouble, view.overlap].flatMap((text) => (text === null ? [] : [safeLine(text)]));
  return [...first, told].filter(Boolean).join(" · ");
}

function markOf(view: AgentView, paint: Paint): string {
  return isInTrouble(view) ? paint("red", "!") : stateMark(view, paint);
}

function figures(view: AgentView, now: number): string[] {
  const isThere = view.state !== "ended" && view.state !== "queued";
  return [
    String(view.turns),
    shortCount(totalTokens(view.usage)),
    dollars(view.costUsd),
    isThere ? shortTime(now - view.lastSignAt) : "",
  ];
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth));
}

function padLeft(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - displayWidth(text))) + text;
}
