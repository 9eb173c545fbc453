import { homedir } from "node:os";
import { engineOf } from "./engine/engine.ts";
import type { PermissionMode } from "./gate.ts";
import type { Behaviour, Rule } from "./rules.ts";

/** Permission rules as a project's settings have them. */
export interface PermissionRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** What a decision depends on besides the call. */
export interface DecisionContext {
  /** The person's home; the process's own unless said. */
  readonly home?: string;
  readonly platform?: "linux" | "darwin";
  /** Where `/p` begins; `cwd` unless said. */
  readonly projectRoot?: string;
  readonly additionalDirs?: readonly string[];
  /** `.claude` unless said. */
  readonly configDir?: string;
}

export type Decision = Behaviour;
export type Mode = PermissionMode | "bypass";

/**
 * Whether a call may run: `allow`, `ask` or `deny`, as permission-semantics has it. Synchronous and without
 * effects; it looks at the file system only to follow links and to recognise a bare repository. Never throws:
 * what goes wrong inside is `deny`.
 */
export function decide(
  rules: PermissionRules,
  mode: Mode,
  cwd: string,
  tool: string,
  input: unknown,
  ctx: DecisionContext = {},
): Decision {
  try {
    const {
      home = homedir(),
      platform = here(),
      projectRoot = cwd,
      additionalDirs = [],
      configDir = ".claude",
    } = ctx ?? {};
    const engine = engineOf(projectRules(rules), { projectRoot, home, platform, additionalDirs, configDir });
    return engine.judge(known(mode), cwd, tool, input).decision;
  } catch {
    return "deny";
  }
}

function projectRules(rules: PermissionRules): Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((behaviour) =>
    (rules?.[behaviour] ?? []).map((text): Rule => ({ text, behaviour, scope: "project" })),
  );
}

/** A mode that nobody knows asks for everything that `default` asks for. */
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
