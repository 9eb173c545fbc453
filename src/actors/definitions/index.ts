import { claudeCodeGuide } from "./claude-code-guide.ts";
import { codeReviewer } from "./code-reviewer.ts";
import type { AgentDefinition } from "./definition.ts";
import { explore } from "./explore.ts";
import { generalPurpose } from "./general-purpose.ts";
import { plan } from "./plan.ts";
import { securityAudit } from "./security-audit.ts";
import { statuslineSetup } from "./statusline-setup.ts";

/** The kinds of agents that ship with Troupe, in the order they are listed. */
export const builtInAgents: readonly AgentDefinition[] = [
  explore,
  plan,
  codeReviewer,
  securityAudit,
  generalPurpose,
  claudeCodeGuide,
  statuslineSetup,
];

/**
 * The definition a name means, whatever its case and separators (A11.2): `codeReviewer`, `Code Reviewer`,
 * `code_reviewer`. A name comes before everybody's aliases, or an own `reviewer` could not be reached.
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

/** By which names are one: without case and separators. A name of nothing but signs is itself. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || name;
}
