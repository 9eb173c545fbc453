import { stripTypeScriptTypes } from "node:module";
import { MAX_SCRIPT_CHARS } from "../../tools/workflow.ts";

/**
 * Returns the script as the function that its engine runs, with its lines where they were; types are taken out. Throws a sentence
 * for what no script may be. Scripts are JavaScript or TypeScript with a top-level `await` and `return`; the one thing that
 * they may export is `meta`.
 */
export function functionOf(name: string, source: string): string {
  if (source.length > MAX_SCRIPT_CHARS)
    throw new Error(`${name} has ${source.length} characters, and a script may have ${MAX_SCRIPT_CHARS}.`);
  if (/^\s*import\s[^(]*['"]/m.test(source))
    throw new Error(
      `${name} imports something; a script has only agent, parallel, pipeline, phase, log, budget and args.`,
    );
  const body = source.replace(/^([ \t]*)export(\s+const\s+meta\b[^=]*=)/m, "$1$2 globalThis.__meta =");
  if (/^\s*export\s/m.test(body))
    throw new Error(`${name} exports something; a script may export nothing but meta.`);
  const whole = `(async () => { "use strict"; ${body}\n})`;
  try {
    return stripTypeScriptTypes(whole);
  } catch (error) {
    throw new Error(`${name} cannot be read: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error))
    .split("\n")
    .map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("×")) ?? lines[0] ?? "a syntax error";
}
