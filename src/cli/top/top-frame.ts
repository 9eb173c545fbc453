import type { Clock } from "../../mailbox/clock.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { cutToWidth } from "../display-width.ts";
import { counted, shortCount, shortTime } from "../figures.ts";
import type { Frame } from "../live-tree.ts";
import { safeLine } from "../safe-text.ts";
import { agentTable } from "./agent-table.ts";
import { dollars } from "./dollars.ts";
import { isInTrouble } from "./tree-order.ts";
import { sessionNow, viewOf, type Watched } from "./watched.ts";

/** Milliseconds after which a session that says nothing is named: it says something each second. */
const QUIET_MS = 3_000;
/** Below so many rows only the totals stand above the agents. */
const LOW = 8;

/** What `troupe top` shows of a session: its head line, totals, and the agents. Never more than the frame has. */
export function topFrame(watched: Watched, clock: Clock, frame: Frame): string[] {
  const { columns, rows, paint } = frame;
  const views = watched.look.agents.map(viewOf);
  const head = [paint("dim", cutToWidth(totalsLine(watched, views, clock), columns))];
  if (rows >= LOW) head.unshift(paint("bold", cutToWidth(headLine(watched), columns)));
  const silence = clock.now() - watched.heardAt;
  if (silence >= QUIET_MS) {
    const words = `The session has not said anything for ${shortTime(silence)}; its main thread is busy.`;
    head.push(paint("yellow", cutToWidth(words, columns)));
  }
  const above = head.slice(0, Math.max(0, rows - 1));
  return [
    ...above,
    ...agentTable(views, sessionNow(watched, clock), { ...frame, rows: rows - above.length }),
  ];
}

function headLine({ hello }: Watched): string {
  return [`Session ${hello.session}`, safeLine(hello.cwd), safeLine(hello.model), `pid ${hello.pid}`].join(
    "  ",
  );
}

function totalsLine({ hello, look }: Watched, views: readonly AgentView[], clock: Clock): string {
  const words = views.map(stateWord);
  const troubled = views.filter(isInTrouble).length;
  const counts = ["running", "waiting", "queued", "done", "ended otherwise"].flatMap((word) => {
    const count = words.filter((other) => other === word).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  if (troubled > 0) counts.unshift(`${troubled} in trouble`);
  const tokens = views.reduce((sum, { usage }) => sum + totalTokens(usage), 0);
  return [
    counted(views.length, "agent"),
    `${shortCount(tokens)} tokens`,
    dollars(look.costUsd),
    `up ${shortTime(Date.parse(clock.date()) - Date.parse(hello.startedAt))}`,
    counts.join(", "),
  ]
    .filter(Boolean)
    .join(" · ");
}

function stateWord({ state, summary }: AgentView): string {
  switch (state) {
    case "queued":
    case "waiting":
      return state;
    case "starting":
    case "running":
    case "cancelling":
      return "running";
    case "ended":
      return summary?.status === "done" ? "done" : "ended otherwise";
    default:
      return state satisfies never;
  }
}
