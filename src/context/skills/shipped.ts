import { fileURLToPath } from "node:url";

/** The skills that come with Troupe, each a directory of `skills/` next to the program. */
export const builtInSkills = [
  "claude-api",
  "fewer-permission-prompts",
  "init",
  "keybindings-help",
  "loop",
  "playwright-cli",
  "review",
  "security-review",
  "simplify",
  "update-config",
] as const;

/** Returns the directory that holds `skills/`: the package's own. */
export function shippedSkills(): string {
  // From the sources, or from a bundle in dist/.
  const own = import.meta.url.endsWith(".ts") ? "../../.." : "..";
  return fileURLToPath(new URL(own, import.meta.url)).replace(/\/$/, "");
}
