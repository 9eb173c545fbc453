import type { Grant } from "./grants.ts";

/** Why a command that runs git must be asked about; null where git runs nothing of anybody else's. */
export function foreignGitClause(fresh: readonly Grant[], ofThisFolder: boolean): string | null {
  const [first] = fresh;
  if (first === undefined) return null;
  const more = fresh.length === 1 ? "" : ` (and ${fresh.length - 1} more of the kind)`;
  const how = ofThisFolder
    ? "--trust agrees to it for one run"
    : "look at that repository, then allow the command by a rule if you want it";
  return `it would ${first.words}${more}, which nobody has agreed to; ${how}`;
}
