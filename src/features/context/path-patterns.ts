import type { Fits } from "../../context/memory/nearby.ts";
import { compileGlob, type Glob } from "../../lib/globs.ts";

/**
 * Returns a matcher that compiles each pattern once. An invalid pattern matches everything: one rule too many does
 * less harm.
 */
export function pathPatterns(): Fits {
  const compiled = new Map<string, Glob | null>();
  return (text, path) => {
    if (!compiled.has(text)) {
      const bare = text.replace(/^\.?\//, "");
      const found = compileGlob(bare.endsWith("/") ? `${bare}**` : bare);
      compiled.set(text, found.type === "glob" ? found.glob : null);
    }
    return compiled.get(text)?.fits(path.split("/")) ?? true;
  };
}
