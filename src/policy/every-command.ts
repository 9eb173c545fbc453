import type { PermissionMode } from "../settings/rules.ts";
import type { Judgement } from "./judgement.ts";

/**
 * Returns the judgement of a command if every command is a question: only a denial remains. It offers no grant, so no
 * hook, no sandbox and no rule of the session spares the next question.
 */
export function askEveryCommand(judgement: Judgement, mode: PermissionMode): Judgement {
  const { decision, reason, rule, parts } = judgement;
  switch (decision) {
    case "deny":
      return judgement;
    case "ask":
      return { ...judgement, grants: [] };
    case "allow": {
      const but = `every command is a question here (troupe.askEveryCommand), although ${rule === undefined ? reason : `the rule ${rule.text} allows it`}`;
      return { decision: mode === "dontAsk" ? "deny" : "ask", reason: but, parts, grants: [] };
    }
    default:
      return decision satisfies never;
  }
}
