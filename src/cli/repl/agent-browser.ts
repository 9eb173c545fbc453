import type { AgentView } from "../../events/event.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Paint } from "../../terminal/colour.ts";
import { cutToWidth } from "../../terminal/display-width.ts";
import { counted } from "../../terminal/figures.ts";
import { createEditor, type Editor, type EditorRows, type Overlay } from "../../terminal/input/editor.ts";
import { isKey, type Key } from "../../terminal/input/keys.ts";
import type { Inside } from "../../terminal/live/inside.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { agentFigures, formatDoingAndOverlap, nameToFit, stateMark } from "../agent-text.ts";
import { agentLines, inTreeOrder } from "../live-tree.ts";
import type { AgentActions } from "./agent-actions.ts";

export interface AgentBrowserParts {
  readonly agents: AgentActions;
  readonly inside: Pick<Inside, "rows">;
  readonly paint: Paint;
  now(): number;
  /** Something that was waited for has come. */
  onChange(): void;
}

type Place =
  | { readonly type: "tree" }
  | { readonly type: "inside" }
  /** Of a message to the agent; Escape leads back to the place before. */
  | { readonly type: "message"; readonly editor: Editor; readonly before: Place };

/** As many words as there is room for. */
const INSIDE_KEYS = [
  "↑ ↓ PgUp PgDn scroll · ← → others · m message · x stop · X stop with all below it · Esc back",
  "↑ ↓ scroll · ← → others · m message · x stop · X all below · Esc back",
  "← → others · m message · x stop · Esc",
  "m x X ↑ ↓ ← → Esc",
];
const TREE_KEYS = [
  "↑ ↓ · Enter looks inside · m message · x stop · X all below · Esc back",
  "Enter looks inside · m message · x stop · Esc",
  "Enter m x X Esc",
];
/** Rows of an agent's summary. */
const SUMMARY_ROWS = 12;

/** The tree of agents in place of the prompt, and the view into one of them. Returns null if there is no agent to show. */
export function openAgentBrowser({
  agents,
  inside,
  paint,
  now,
  onChange,
}: AgentBrowserParts): Overlay | null {
  let isOpen = true;
  let place: Place = { type: "tree" };
  let at: ActorId | null = null;
  /** How many rows of what one did are below the last one shown; the rows in all; and those of a page. */
  const scroll = { below: 0, all: 0, page: 1 };

  /** Those that have not ended; the one that the user is at stays. */
  const shown = () => inTreeOrder(agents.views().filter(({ id, state }) => state !== "ended" || id === at));
  const [first] = shown();
  if (first === undefined) return null;
  at = first.view.id;
  const current = (): AgentView | undefined => shown().find(({ view }) => view.id === at)?.view;

  const go = (to: ActorId): void => {
    if (at === to) return;
    if (place.type === "inside" && at !== null) agents.watch(at, false);
    at = to;
    scroll.below = 0;
    if (place.type === "inside") agents.watch(to, true);
  };
  const move = (by: number): void => {
    const all = shown();
    const index = all.findIndex(({ view }) => view.id === at);
    const next = all[Math.max(0, Math.min(all.length - 1, index + by))];
    if (next) go(next.view.id);
  };
  /** False if the key does not scroll. */
  const scrollBy = (key: Key): boolean => {
    const { page, all } = scroll;
    const steps = { up: 1, down: -1, pageUp: page, pageDown: -page, home: all, end: -all } as const;
    const names = ["up", "down", "pageUp", "pageDown", "home", "end"] as const;
    const name = names.find((one) => isKey(key, one));
    if (name !== undefined) scroll.below = Math.max(0, Math.min(scroll.below + steps[name], all - page));
    return name !== undefined;
  };
  const back = (): void => {
    if (place.type === "message") {
      place.editor.close();
      place = place.before;
    } else if (place.type === "inside") {
      if (at !== null) agents.watch(at, false);
      place = { type: "tree" };
      if (shown().every(({ view }) => view.state === "ended")) isOpen = false;
    } else isOpen = false;
  };
  const write = (view: AgentView): void => {
    const editor = createEditor({
      paint,
      onChange,
      onLine(text) {
        back();
        if (text.trim() !== "") agents.message(view, text);
      },
    });
    place = { type: "message", editor, before: place };
  };

  const tree = ({ columns, most }: { readonly columns: number; readonly most: number }): EditorRows => {
    const all = shown();
    const index = Math.max(
      0,
      all.findIndex(({ view }) => view.id === at),
    );
    const room = Math.max(1, most - 1);
    const start = Math.max(0, Math.min(index - Math.floor(room / 2), all.length - room));
    const lines = agentLines(all.slice(start, start + room), now(), { columns: columns - 2, paint });
    const rows = lines.map((line, row) => `${row + start === index ? paint("cyan", "›") : " "} ${line}`);
    return { rows: [...rows, hint(TREE_KEYS, columns)], cursor: { row: index - start, column: 0 } };
  };
  const within = ({ columns, most }: { readonly columns: number; readonly most: number }): EditorRows => {
    const view = current();
    if (view === undefined) return { rows: [""], cursor: { row: 0, column: 0 } };
    const head = `${nameToFit(view, columns - 2)}  ${formatDoingAndOverlap(view, now())} · ${agentFigures(view, now())}`;
    const text = safeText(view.summary?.text ?? "").trim();
    const summary = text === "" ? [] : ["", ...wrapText(text, columns).slice(0, SUMMARY_ROWS)];
    const page = Math.max(1, most - 2);
    const done = inside.rows(view.id, { columns, rows: page, now: now() });
    const body = view.state === "ended" ? [...done, ...summary] : done;
    // What one reads stays where it is while more comes below it.
    if (scroll.below > 0) scroll.below += body.length - scroll.all;
    scroll.below = Math.max(0, Math.min(scroll.below, body.length - page));
    Object.assign(scroll, { all: body.length, page });
    const shown = body.slice(0, body.length - scroll.below).slice(-page);
    const rows = [
      `${stateMark(view, paint)} ${paint("bold", cutToWidth(head, columns - 2))}`,
      ...(shown.length === 0 ? [paint("dim", "Nothing is known of it yet.")] : shown),
      hint(
        scroll.below === 0
          ? INSIDE_KEYS
          : INSIDE_KEYS.map((keys) => `${counted(scroll.below, "line")} below · ${keys}`),
        columns,
      ),
    ];
    return { rows, cursor: { row: 0, column: 0 } };
  };
  const hint = (keys: readonly string[], columns: number): string =>
    paint("dim", cutToWidth(keys.find((words) => words.length <= columns) ?? keys.at(-1) ?? "", columns));

  return {
    get isOpen() {
      return isOpen;
    },
    take(key) {
      const view = current();
      if (isKey(key, "escape") || isKey(key, "ctrl+c") || view === undefined) back();
      else if (place.type === "message") place.editor.type(key);
      else if (place.type === "inside" && scrollBy(key)) return;
      else if (isKey(key, "up") || isKey(key, "left")) move(-1);
      else if (isKey(key, "down") || isKey(key, "right")) move(1);
      else if (isKey(key, "enter") && place.type === "tree") {
        place = { type: "inside" };
        scroll.below = 0;
        agents.watch(view.id, true);
      } else if (key.text === "m") write(view);
      else if (key.text === "x") agents.stop(view.id, "foreground");
      else if (key.text === "X") agents.stop(view.id, "subtree");
    },
    rows(_, room) {
      switch (place.type) {
        case "tree":
          return tree(room);
        case "inside":
          return within(room);
        case "message": {
          const view = current();
          return place.editor.rows(`to ${view ? nameToFit(view, 30) : ""} › `, room);
        }
        default:
          return place satisfies never;
      }
    },
  };
}
