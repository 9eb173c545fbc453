import { realpathSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Returns why a thread cannot import the module of a tool or an actor, as the end of a sentence, or null. */
export function moduleProblem(module: string, what: "tool" | "actor"): string | null {
  const written = `; write \`module: import.meta.url\` in the module that exports the ${what}.`;
  if (!URL.canParse(module) || new URL(module).protocol !== "file:")
    return `is ${JSON.stringify(module)}, which is not the URL of a file${written}`;
  const [, program] = process.argv;
  if (program === undefined || realUrl(program) !== realUrl(fileURLToPath(module))) return null;
  const instead = what === "tool" ? ', or declare `runsIn: "caller"`' : "";
  return `is the program itself, which each thread would run again. Move the ${what} to a module of its own${instead}.`;
}

function realUrl(path: string): string {
  try {
    return pathToFileURL(realpathSync(path)).href;
  } catch {
    return path;
  }
}
