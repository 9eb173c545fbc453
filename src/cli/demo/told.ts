import { worktreeLine } from "../../features/isolation/worktree-words.ts";
import { statusMark, statusText } from "../agent-text.ts";
import type { Paint } from "../colour.ts";
import type { JobEnd } from "../jobs.ts";
import { safeLine, safeText } from "../safe-text.ts";
import type { Check } from "./checks.ts";
import type { TakenBack } from "./take-back.ts";

/** The demo's words on standard output, each with its line end. */
export interface Teller {
  heading(text: string): string;
  agent(number: number, task: string, end: JobEnd): string;
  checks(checks: readonly Check[]): string;
  takenBack(one: TakenBack, ordinal: number): string;
  indented(text: string): string;
}

export function tellerIn(paint: Paint): Teller {
  const checkLine = ({ says, ok, found }: Check): string => {
    const mark = ok ? paint("green", "✓") : paint("red", "✗");
    return `  ${mark} ${safeLine(says)}${ok || found === undefined ? "" : ` (${safeLine(found)})`}\n`;
  };
  return {
    heading: (text) => `\n${paint("bold", safeLine(text))}\n`,
    agent(number, task, { id, summary }) {
      const how = summary.status === "done" ? "" : ` (${statusText(summary.status)})`;
      const said = [
        ...summary.text.split("\n").filter((line) => line.trim() !== ""),
        ...(summary.reason === undefined ? [] : [summary.reason]),
      ];
      const edits = summary.worktree === undefined ? [] : [worktreeLine(summary.worktree, id ?? "")];
      const lines = [
        ...said.map((line) => safeLine(line)),
        ...edits.map((line) => paint("dim", safeLine(line))),
      ];
      return `${statusMark(summary.status, paint)} ${number}. ${safeLine(task)}${how}\n${lines.map((line) => `     ${line}\n`).join("")}`;
    },
    checks: (checks) => checks.map(checkLine).join(""),
    takenBack({ agent, title, paths, checks }, ordinal) {
      const which = ordinal === 1 ? "the last merge" : "the one before";
      const whose = agent === null ? "" : ` (agent ${agent}: ${safeLine(title)})`;
      const files = paths.length === 0 ? "" : `: ${paths.map((path) => safeLine(path)).join(", ")}`;
      return `  troupe undo, ${which}${whose}${files}\n${checks.map((check) => `  ${checkLine(check)}`).join("")}`;
    },
    indented: (text) =>
      safeText(text.replace(/\n+$/, ""))
        .split("\n")
        .map((line) => `  ${line}\n`)
        .join(""),
  };
}
