import { plainName } from "../../lib/near-name.ts";
import { claudeCodeGuide } from "./claude-code-guide.ts";
import { codeReviewer } from "./code-reviewer.ts";
import type { AgentDefinition } from "./definition.ts";
import { explore } from "./explore.ts";
import { generalPurpose } from "./general-purpose.ts";
import { plan } from "./plan.ts";
import { securityAudit } from "./security-audit.ts";

/** The agent types that come with Troupe, in the order of the list. */
export const builtInAgents: readonly AgentDefinition[] = [
  explore,
  plan,
  codeReviewer,
  securityAudit,
  generalPurpose,
  claudeCodeGuide,
];

/**
 * Finds a definition by its name, whatever its case and separators (A11.2): `codeReviewer`, `Code Reviewer`,
 * `code_reviewer`. Names take precedence over aliases, or a user's own `reviewer` could not be called.
 */
export function findAgent(
  definitions: readonly AgentDefinition[],
  name: string,
): AgentDefinition | undefined {
  const wanted = plainName(name);
  return (
    definitions.find((definition) => plainName(definition.name) === wanted) ??
    definitions.find(({ aliases = [] }) => aliases.some((alias) => plainName(alias) === wanted))
  );
}
