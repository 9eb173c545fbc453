import { basename } from "node:path";
import type { PermissionMode } from "../../settings/permissions.ts";
import type { Judgement } from "../judgement.ts";
import { parseShell } from "../shell/parse.ts";
import { unwrap } from "../shell/wrappers.ts";

/**
 * Adds git's commands to a decision: if git would run something that the user has not trusted, what only the mode
 * allows becomes a question. What a rule allows stays allowed, as does everything without checks. `alone` evaluates one
 * part.
 */
export function withForeignGit(
  judgement: Judgement,
  mode: PermissionMode,
  command: string,
  alone: (part: string) => Judgement,
  untrustedGit: () => string | null,
): Judgement {
  const isSettled = judgement.decision !== "allow" || mode === "bypassPermissions";
  if (isSettled || !mayNameGit(command)) return judgement;
  const byMode = parseShell(command).parts.filter(
    ({ words, source }) =>
      startsGit(unwrap(words).map(({ value }) => basename(value))) && !isAllowedByRule(source, alone),
  );
  const why = byMode.length === 0 ? null : untrustedGit();
  if (why === null) return judgement;
  // A session's grant would outlive the check of what git runs, so none is offered.
  const decision = mode === "dontAsk" ? "deny" : "ask";
  return { decision, reason: why, parts: judgement.parts, grants: [] };
}

/**
 * The mode is evaluated before rules, so the rule is checked with an option that no mode allows; a command in full
 * needs a rule in any case.
 */
function isAllowedByRule(source: string, alone: (part: string) => Judgement): boolean {
  const whole = alone(source);
  if (whole.decision !== "allow") return false;
  return whole.rule !== undefined || alone(`${source} --ext-diff`).decision === "allow";
}

/** A confinement lets these two start commands that read. */
function startsGit([name = "", ...others]: readonly string[]): boolean {
  return name === "git" || (/^(?:find|xargs)$/.test(name) && others.includes("git"));
}

/** Cheap, and a no is always right: quotes and backslashes can separate the letters. */
function mayNameGit(command: string): boolean {
  const g = command.indexOf("g");
  const i = g < 0 ? -1 : command.indexOf("i", g);
  return i >= 0 && command.indexOf("t", i) >= 0;
}
