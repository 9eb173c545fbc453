import type { SkillSearch } from "../../context/skills/skill-dirs.ts";

/** Skills and commands of a session. */
export interface SkillsOptions {
  /** Where to look for them. */
  readonly search: Omit<SkillSearch, "cwd" | "denied">;
  /**
   * Where the text of a loaded skill is: in the conversation (default), or in the system prompt, which makes every
   * load cost the cached prefix (A22.3).
   */
  readonly injection?: "message" | "system";
  /** Where the list is: in the first message (default), or in the system prompt. */
  readonly listing?: "attached" | "inline";
  /** False if settings switch hooks off, so those of skills do not run. */
  readonly hooks?: boolean;
}
