import { plainName } from "../../lib/near-name.ts";
import type { AgentDefinition } from "./definition.ts";

/**
 * Finds a definition, or what lists one, by its name, whatever its case and separators (A11.2): `codeReviewer`, `Code Reviewer`,
 * `code_reviewer`. Names take precedence over aliases, or a user's own `reviewer` could not be called.
 */
export function findAgent<Found extends Pick<AgentDefinition, "name" | "aliases">>(
  definitions: readonly Found[],
  name: string,
): Found | undefined {
  const wanted = plainName(name);
  return (
    definitions.find((definition) => plainName(definition.name) === wanted) ??
    definitions.find(({ aliases = [] }) => aliases.some((alias) => plainName(alias) === wanted))
  );
}
