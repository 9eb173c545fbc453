import { homedir } from "node:os";
import { errorMessage } from "../lib/errors.ts";
import type { Behaviour, PermissionMode, Rule } from "../settings/permissions.ts";
import { engineOf } from "./engine/engine.ts";
import type { JudgeContext, Judgement } from "./judgement.ts";

/** Permission rules as a project's settings have them. */
export interface PermissionRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** What a decision depends on in addition to the call. */
export interface DecisionContext extends JudgeContext {
  /** The user's home (default: the process's own). */
  readonly home?: string;
  readonly platform?: "linux" | "darwin";
  /** Where `/p` begins; `cwd` unless said. */
  readonly projectRoot?: string;
  readonly additionalDirs?: readonly string[];
  /** `.claude` if absent. */
  readonly configDir?: string;
}

/** A decision and what it rests on. */
export type Judged = Pick<Judgement, "decision" | "tier" | "reason"> & {
  /** The text of the rule that decided, if one did. */
  readonly rule?: string;
};

export type Decision = Behaviour;
export type Mode = PermissionMode | "bypass";

/**
 * Returns whether a call may run: `allow`, `ask` or `deny` (permission-semantics, version 2). Synchronous and without
 * effects; on disk it only resolves links, recognises repositories and looks at names. Never throws: a failure is `deny`.
 */
export function decide(
  rules: PermissionRules,
  mode: Mode,
  cwd: string,
  tool: string,
  input: unknown,
  ctx: DecisionContext = {},
): Decision {
  return judge(rules, mode, cwd, tool, input, ctx).decision;
}

/** The same, with the reason, the rule, and for an allow the tier that it rests on. */
export function judge(
  rules: PermissionRules,
  mode: Mode,
  cwd: string,
  tool: string,
  input: unknown,
  ctx: DecisionContext = {},
): Judged {
  try {
    const {
      home = homedir(),
      platform = here(),
      projectRoot = cwd,
      additionalDirs = [],
      configDir = ".claude",
      ...context
    } = ctx ?? {};
    const engine = engineOf(projectRules(rules), { projectRoot, home, platform, additionalDirs, configDir });
    const { decision, tier, reason, rule } = engine.judge(known(mode), cwd, tool, input, context);
    return { decision, reason, ...(tier ? { tier } : {}), ...(rule ? { rule: rule.text } : {}) };
  } catch (error) {
    const what = errorMessage(error);
    return { decision: "deny", reason: `the call could not be evaluated (${what})` };
  }
}

function projectRules(rules: PermissionRules): Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((behaviour) =>
    (rules?.[behaviour] ?? []).map((text): Rule => ({ text, behaviour, scope: "project" })),
  );
}

/** An unknown mode asks for everything that `default` asks for. */
function known(mode: Mode): PermissionMode {
  switch (mode) {
    case "bypass":
    case "bypassPermissions":
      return "bypassPermissions";
    case "acceptEdits":
    case "plan":
    case "dontAsk":
      return mode;
    default:
      return "default";
  }
}

function here(): "linux" | "darwin" {
  return process.platform === "darwin" ? "darwin" : "linux";
}
