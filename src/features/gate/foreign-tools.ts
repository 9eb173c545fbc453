import type { Access } from "../../mailbox/calls.ts";
import type { PolicyEngine } from "../../policy/engine/engine.ts";
import type { Judgement } from "../../policy/judgement.ts";
import type { Behaviour, PermissionMode } from "../../settings/rules.ts";
import type { KnownTool } from "../../supervisor/toolbox.ts";

/**
 * Evaluates a library user's own tool, unknown to the engine: by its declared level, and by the paths it declares, as
 * if Read or Write touched them.
 */
export function judgeForeign(
  engine: Pick<PolicyEngine, "judge">,
  mode: PermissionMode,
  { level, offer }: KnownTool,
  accesses: readonly Access[],
  cwd: string,
  unknown: Judgement,
): Judgement {
  const touched = accesses.flatMap(({ kind, target }): Judgement[] => {
    switch (kind) {
      case "read":
        return [engine.judge(mode, cwd, "Read", { file_path: target })];
      case "write":
        return [engine.judge(mode, cwd, "Write", { file_path: target })];
      case "network":
        return [engine.judge(mode, cwd, "WebFetch", { url: target })];
      case "execute":
        return [];
      default:
        return kind satisfies never;
    }
  });
  const reason = `${offer.name} declares that it only reads`;
  const harmless: Judgement = { decision: "allow", reason, parts: [], grants: [] };
  const acts = mode === "acceptEdits" && level === "write" && touched.length > 0;
  return touched.reduce(stricter, level === "read" || acts ? harmless : unknown);
}

const STRICTNESS: Readonly<Record<Behaviour, number>> = { allow: 0, ask: 1, deny: 2 };

export function stricter(one: Judgement, other: Judgement): Judgement {
  return STRICTNESS[other.decision] > STRICTNESS[one.decision] ? other : one;
}
