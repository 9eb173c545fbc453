import type { OutputUnit, SchemaDraft } from "@cfworker/json-schema";
import { errorMessage } from "../../lib/errors.ts";
import type { JsonSchema } from "../../mailbox/messages.ts";

export type Checked =
  | { readonly type: "fits" }
  /** What does not fit, one line each, with the path of the value. */
  | { readonly type: "misfit"; readonly complaints: readonly string[] }
  /** The schema itself is faulty; a clause. */
  | { readonly type: "unusable"; readonly reason: string };

const MOST_COMPLAINTS = 10;
/** Keywords that only report an error below them. */
const CONTAINERS: ReadonlySet<string> = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "additionalProperties",
  "allOf",
  "dependentSchemas",
  "else",
  "items",
  "patternProperties",
  "prefixItems",
  "properties",
  "then",
  "unevaluatedProperties",
]);
const DRAFTS: readonly [RegExp, SchemaDraft][] = [
  [/draft-04/, "4"],
  [/draft-0[67]/, "7"],
  [/2019-09/, "2019-09"],
];

/** Checks data against a schema. Loads the validator on first use. */
export async function checked(schema: JsonSchema, value: unknown): Promise<Checked> {
  const { Validator } = await import("@cfworker/json-schema");
  try {
    const { valid, errors } = new Validator(schema, draftOf(schema), false).validate(value);
    return valid ? { type: "fits" } : { type: "misfit", complaints: complaintsOf(errors) };
  } catch (error) {
    // A reference to nothing or to itself, an invalid pattern.
    const [reason = ""] = errorMessage(error).split("\n");
    return { type: "unusable", reason: reason.replace(/\s*Absolute URI .*/, "").replace(/\.\s*$/, "") };
  }
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const named = typeof $schema === "string" ? $schema : "";
  return DRAFTS.find(([pattern]) => pattern.test(named))?.[1] ?? "2020-12";
}

function complaintsOf(errors: readonly OutputUnit[]): string[] {
  const telling = errors.filter(({ keyword }) => !CONTAINERS.has(keyword));
  const lines = (telling.length > 0 ? telling : errors).map(({ instanceLocation, keyword, error }) => {
    const path = instanceLocation === "#" ? "the whole" : instanceLocation.slice(1);
    return `${path}: ${keyword === "false" ? "There must be no such property." : error}`;
  });
  return [...new Set(lines)].slice(0, MOST_COMPLAINTS);
}
