import { textAt } from "../../lib/json.ts";
import type { PermissionQuestion, QuestionContext } from "../../policy/asking/questions.ts";
import { findSubject } from "../../policy/asking/subject.ts";
import type { AskDetail } from "../../policy/user-requests.ts";
import type { KnownTool } from "../../tools/toolbox.ts";

/** Returns every argument as the model wrote it; the caller shortens them for display. */
export function detailsOf(input: unknown): AskDetail[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).map(([name, value]) => ({
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
}

/** Returns the tool's name, and its other names. */
export function namesOf({ offer, names }: KnownTool): readonly [string, ...string[]] {
  return [offer.name, ...names.filter((name) => name !== offer.name)];
}

/** Builds the question for the user about a call. */
export function questionOf(
  { offer, level }: KnownTool,
  given: Pick<
    PermissionQuestion,
    "input" | "cwd" | "scope" | "title" | "details" | "diff" | "reason" | "grants"
  > & {
    readonly toolUse: string;
  },
): Omit<PermissionQuestion, keyof QuestionContext> {
  const description = textAt(given.input, "description");
  return {
    ...given,
    ...{ tool: offer.name, level },
    // The title of a command is the model's own text.
    title: findSubject(offer.name, given.input) ?? given.title,
    // After its input, what the tool shows of it.
    details: [...detailsOf(given.input), ...given.details],
    ...(description === null ? {} : { description }),
  };
}
