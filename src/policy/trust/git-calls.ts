import { basename } from "node:path";
import type { PermissionMode } from "../../settings/rules.ts";
import type { Judgement } from "../judgement.ts";
import { parseShell } from "../shell/parse.ts";
import { unwrap } from "../shell/wrappers.ts";

/**
 * Adds what git brings to a judgement: if git would run something that the user has not agreed to, what
 * the mode alone would allow is a question. What a rule allows stays allowed, and so does everything where the
 * person has switched the checks off. `alone` judges one of its parts.
 */
export function withForeignGit(
  judgement: Judgement,
  mode: PermissionMode,
  command: string,
  alone: (part: string) => Judgement,
  foreign: () => string | null,
): Judgement {
  const isSettled = judgement.decision !== "allow" || mode === "bypassPermissions";
  if (isSettled || !mayNameGit(command)) return judgement;
  const byMode = parseShell(command).parts.filter(
    ({ words, source }) =>
      startsGit(unwrap(words).map(({ value }) => basename(value))) && !isAllowedByRule(source, alone),
  );
  const why = byMode.length === 0 ? null : foreign();
  if (why === null) return judgement;
  // A session's grant would outlive the look at what git runs, so none is offered.
  const decision = mode === "dontAsk" ? "deny" : "ask";
  return { decision, reason: why, parts: judgement.parts, grants: [] };
}

/**
 * A mode's word comes before a rule's, so the rule is asked about the same command with an option that no mode
 * allows; what is written out whole is a rule's in any case.
 */
function isAllowedByRule(source: string, alone: (part: string) => Judgement): boolean {
  const whole = alone(source);
  if (whole.decision !== "allow") return false;
  return whole.rule !== undefined || alone(`${source} --ext-diff`).decision === "allow";
}

/** A confinement lets these two start what reads. */
function startsGit([name = "", ...others]: readonly string[]): boolean {
  return name === "git" || (/^(?:find|xargs)$/.test(name) && others.includes("git"));
}

/** Cheap, and a no is always right: quotes and backslashes can separate the letters. */
function mayNameGit(command: string): boolean {
  const g = command.indexOf("g");
  const i = g < 0 ? -1 : command.indexOf("i", g);
  return i >= 0 && command.indexOf("t", i) >= 0;
}
