import { type OutputUnit, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { errorMessage } from "./errors.ts";
import { type JsonObject, valueAt } from "./json.ts";
import { lazy } from "./lazy.ts";

/** One part of a value that does not fit. */
export interface JsonMisfit {
  /** The names from the top to the part. */
  readonly path: readonly string[];
  readonly keyword: string;
  /** A sentence of the library. */
  readonly text: string;
  /** The schema that has the keyword. */
  readonly schema: unknown;
}

export type Checked =
  | { readonly type: "fits" }
  | { readonly type: "misfit"; readonly misfits: readonly JsonMisfit[] }
  /** The schema itself is faulty; a clause. */
  | { readonly type: "unusable"; readonly reason: string };

const DRAFTS: readonly [RegExp, SchemaDraft][] = [
  [/draft-04/, "4"],
  [/draft-0[67]/, "7"],
  [/2019-09/, "2019-09"],
];
/** Keywords that only report a misfit below them. */
const CONTAINERS: readonly string[] = [
  ...["$ref", "$dynamicRef", "$recursiveRef", "additionalProperties", "allOf", "dependentSchemas", "else"],
  ...["items", "patternProperties", "prefixItems", "properties", "then", "unevaluatedProperties"],
];

/**
 * Returns what checks values against a JSON Schema of the draft that it names (default 2020-12). A schema is interpreted,
 * not made into code. Its patterns run as they are and may never end: those of others are checked in a thread, or left out.
 */
export function jsonCheck(schema: JsonObject): (value: unknown) => Checked {
  const draft = DRAFTS.find(([pattern]) => pattern.test(String(schema["$schema"])))?.[1] ?? "2020-12";
  const validator = lazy(() => new Validator(schema, draft, false));
  return (value) => {
    try {
      const { valid, errors } = validator().validate(value);
      if (valid) return { type: "fits" };
      const inner = errors.filter(({ keyword }) => !CONTAINERS.includes(keyword));
      return {
        type: "misfit",
        misfits: (inner.length > 0 ? inner : errors).map((error) => misfitOf(error, schema)),
      };
    } catch (error) {
      // A reference to nothing or to itself, an invalid pattern.
      const [reason = ""] = errorMessage(error).split("\n");
      return { type: "unusable", reason: reason.replace(/\s*Absolute URI .*/, "").replace(/\.\s*$/, "") };
    }
  };
}

function misfitOf(
  { instanceLocation, keyword, keywordLocation, error }: OutputUnit,
  whole: JsonObject,
): JsonMisfit {
  // Behind references within the schema.
  const schema = namesIn(keywordLocation)
    .slice(0, -1)
    .reduce<unknown>((outer, name) => {
      const next = Array.isArray(outer) ? outer[Number(name)] : valueAt(outer, [name]);
      return name === "$ref" && typeof next === "string" ? valueAt(whole, namesIn(next)) : next;
    }, whole);
  return { path: namesIn(instanceLocation), keyword, text: error, schema };
}

/** Formats names as in code: `a.b[1]`; empty for the top. */
export function formatPath(path: readonly string[]): string {
  const parts = path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`));
  return parts.join("").replace(/^\./, "");
}

/** Returns the names in a JSON pointer. */
function namesIn(pointer: string): readonly string[] {
  const names = pointer.split("/").slice(1);
  return names.map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
}
