import { homedir } from "node:os";
import { userPlaces } from "../../settings/paths.ts";
import type { Scope } from "../../settings/permissions.ts";
import { engineOf, type PolicyEngine } from "../engine/engine.ts";
import { placeOf } from "../engine/place.ts";
import { RuleBook } from "../engine/rule-book.ts";
import { readInput, textField } from "../engine/tool-table.ts";
import { parseShell } from "../shell/parse.ts";

/** A call, for the condition of a hook. */
export interface ConditionedCall {
  /** The tool's name and its other names. */
  readonly names: readonly string[];
  readonly input: unknown;
  readonly cwd: string;
  /** Where paths in rules start: the project, or the agent's worktree. */
  readonly root: string;
}

export type HookCondition = (call: ConditionedCall) => boolean;

/** The roots whose engine is kept: agents have a worktree each. */
const MOST_ENGINES = 32;

/**
 * Returns what an `if` matches, a permission rule in its widest sense, as if it denied: one part of a command is enough.
 * What cannot be understood matches, so that the hook runs. Returns what is wrong with the rule if it is not one.
 */
export function parseCondition(text: string, scope: Scope): HookCondition | { readonly problem: string } {
  const rules = [{ text, behaviour: "deny", scope }] as const;
  const { homedir: home, claudeDir: configDir } = userPlaces(process.env, homedir());
  const anchors = { home, configDir, platform: process.platform };
  const [fault] = new RuleBook("deny", rules, placeOf({ ...anchors, projectRoot: "/" })).faults;
  if (fault !== undefined) return fault;
  const engines = new Map<string, PolicyEngine>();
  const engineIn = (root: string): PolicyEngine => {
    const engine = engines.get(root) ?? engineOf(rules, { ...anchors, projectRoot: root });
    if (engines.size >= MOST_ENGINES) engines.clear();
    engines.set(root, engine);
    return engine;
  };
  return ({ names, input, cwd, root }) => {
    try {
      const engine = engineIn(root);
      return names.some(
        (name) => isUnclear(name, input) || engine.judge("default", cwd, name, input).decision === "deny",
      );
    } catch {
      return true;
    }
  };
}

/** True if rules cannot say what this call does. */
function isUnclear(tool: string, input: unknown): boolean {
  const read = readInput(tool, input);
  if ("malformed" in read && typeof read.malformed === "string") return true;
  if (tool !== "Bash") return false;
  const { problem, parts } = parseShell(textField(read, "command") ?? "");
  return problem !== null || parts.some(({ words: [command] }) => command !== undefined && !command.literal);
}
