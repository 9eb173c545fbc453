import { worktreeGist } from "../../features/isolation/worktree-result.ts";
import { hasScriptRun } from "../../features/scripts/script-file.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Paint } from "../../terminal/colour.ts";
import { counted, shortDate, shortTime } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { resumeCommand } from "../unfinished.ts";
import { answersTo } from "./answer.ts";
import type { InboxEntry } from "./entries.ts";

/** Where it is shown. */
export interface ShownIn {
  /** What answers start with: `troupe inbox`, or `/inbox` in a conversation. */
  readonly command: string;
  /** The user's directory. */
  readonly here: string;
  readonly paint: Paint;
}

/** What waits, for people: a line for what and since when, and one for what to do. */
export function inboxText(entries: readonly InboxEntry[], now: number, shown: ShownIn): string {
  const { paint } = shown;
  return entries
    .map((entry) => {
      const { id, since, session } = entry;
      const waits = shortTime(now - Date.parse(since));
      const where = `${safeLine(session.title) || "conversation"} · ${safeLine(session.cwd)}`;
      const rows = [
        `${paint("bold", id)}  ${paint("yellow", waits)}  ${paint("dim", where)}`,
        ...rowsOf(entry, shown),
      ];
      return rows.join("\n  ");
    })
    .join("\n\n")
    .concat("\n");
}

function rowsOf({ id, what, session }: InboxEntry, { command, here }: ShownIn): readonly string[] {
  const program = hasScriptRun(session.folder) ? "troupe run" : "troupe";
  const resume = resumeCommand(session.id, session.cwd, here, { command: program });
  switch (what.type) {
    case "permission": {
      const { askers, tool, title, reason, description } = what;
      return [
        `${askedBy(askers)} ${askers.length > 1 ? "want" : "wants"} to run ${tool}: ${safeLine(title)}`,
        ...(description === undefined ? [] : [`it says: ${safeLine(description)}`]),
        `asked because ${safeLine(reason)}`,
        `${command} ${id} ANSWER: ${answersTo(what)}`,
      ];
    }
    case "question":
      return [
        ...what.questions.flatMap(({ question, options }) => [
          `${askedBy(what.askers)} ${what.askers.length > 1 ? "ask" : "asks"}: ${safeLine(question)}`,
          ...options.map(
            ({ label, description }, at) =>
              `  ${at + 1}. ${safeLine([label, description].filter(Boolean).join(": "))}`,
          ),
        ]),
        `${command} ${id} ANSWER: ${answersTo(what)}`,
      ];
    case "plan":
      return [
        `${askedBy(what.askers)} has a plan: ${safeLine(what.plan.trim().split("\n")[0] ?? "")} (${safeLine(what.file)})`,
        `${command} ${id} ANSWER: ${answersTo(what)}`,
      ];
    case "paused": {
      const { model, until, reason } = what.pause;
      return [
        `${safeLine(model)} is paused until ${shortDate(new Date(until).toISOString())}: ${safeLine(reason)}`,
      ];
    }
    case "result":
      return [
        `${safeLine(what.title)}: ${resultWords(what.summary)}`,
        todoFor(what.actor, what.summary, resume),
        `${command} ${id} dismiss: takes it off this list`,
      ];
    case "cut-off":
      return [
        `its process ended${what.agents > 0 ? `, and ${counted(what.agents, "agent")} had not finished` : " before it was finished"}`,
        resume,
        `${command} ${id} dismiss: takes it off this list`,
      ];
    default:
      return what satisfies never;
  }
}

function askedBy(askers: readonly { readonly path: readonly string[] }[]): string {
  const [first, ...others] = askers.map(({ path }) => safeLine(path.at(-1) ?? "an agent"));
  return others.length === 0 ? `${first}` : `${first} and ${counted(others.length, "other agent")}`;
}

function resultWords({ status, reason, worktree, acceptance }: Summary): string {
  const gist = worktree === undefined ? null : worktreeGist(worktree);
  const words = [acceptance?.verdict ?? status.replaceAll("_", " "), ...(gist === null ? [] : [gist])].join(
    ", ",
  );
  return reason === undefined ? words : `${words}: ${safeLine(reason).slice(0, 300)}`;
}

function todoFor(actor: string, { worktree }: Summary, resume: string): string {
  if (worktree?.path === undefined) return resume;
  const merge =
    worktree.outcome === "conflict"
      ? `resolve it in ${safeLine(worktree.path)}, then troupe worktrees merge ${actor}`
      : `troupe worktrees diff ${actor}, then troupe worktrees merge ${actor}`;
  return `${merge}; or give it up: troupe worktrees remove ${actor} --force`;
}
