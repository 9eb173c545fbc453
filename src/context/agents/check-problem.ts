import type { JsonObject } from "../../lib/json.ts";
import { isKeyword, schemaFault } from "../../lib/meta-schema.ts";
import { shorten } from "../../lib/text.ts";
import type { Accept } from "../../mailbox/acceptance.ts";

/** A command that succeeds and does nothing. */
const NOTHING = /^(?:true|:|exit(?: +0)?|(?:echo|printf|sleep)(?: .*)?|#.*)$/;
/** Then an earlier one than the last may end them all. */
const MAY_END = /\bexit +[^0\s]|\bset +-\w*e|\btrap\b/;
const BETWEEN = /(\|\||&&|[;&|\n(){}])/;

/** Returns why this states nothing that could be false, as a sentence, or null. */
export function checkProblem({ run, expect, files = [], schema }: Accept): string | null {
  if (run === undefined) {
    if (expect !== undefined) return "accept has expect without run: say which command must end like that.";
    return files.length > 0 || schema !== undefined
      ? null
      : "accept says nothing that must be true: give run, files or schema.";
  }
  return passesAlways(run) && expect?.output === undefined
    ? `The check ${JSON.stringify(shorten(run, 200))} passes whatever was done: give a command that fails if the work is not done.`
    : null;
}

/** Not all of those, but the usual ones: nothing is run, or what was run does not count. */
function passesAlways(run: string): boolean {
  const parts = run.split(BETWEEN).map((part) => part.trim() || part);
  const commands = parts.filter((part, at) => at % 2 === 0 && part.trim() !== "");
  if (commands.every((command) => NOTHING.test(command))) return true;
  if (!NOTHING.test(commands.at(-1) ?? "") || MAY_END.test(run)) return false;
  const before = parts.slice(0, parts.lastIndexOf(commands.at(-1) ?? ""));
  const link = before.findLast((part, at) => at % 2 === 1 && !/[(){}]/.test(part));
  return link !== "&&" && link !== "|";
}

/** The agent gets it in its prompt, and again with each retry. */
const MOST_CHARS = 20_000;

/** Returns why a schema cannot be used, as a sentence, or null. */
export function whyNoSchema(schema: JsonObject): string | null {
  const fault = outputSchemaFault(schema);
  return fault === null ? null : `The output_schema ${fault}.`;
}

/**
 * Returns why an agent's answer cannot be checked by this schema, as the end of a sentence that starts with its name, or
 * null. A schema without any keyword is one of property names by mistake: every answer would fit.
 */
export function outputSchemaFault(given: JsonObject): string | null {
  const fault = schemaFault(given, "anyDraft");
  if (fault !== null)
    return `is no JSON Schema: ${[...fault.path.map((name) => `/${name}`), ` ${fault.text}`].join("").trim()}`;
  const keys = Object.keys(given);
  if (keys.length > 0 && !keys.some(isKeyword))
    return `has no keyword of JSON Schema: ${keys.slice(0, 5).join(", ")}`;
  if (JSON.stringify(given).length > MOST_CHARS) return `must have at most ${MOST_CHARS} characters as JSON`;
  return null;
}
