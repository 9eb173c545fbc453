import { PRIMARY } from "./tool-table.ts";

export type Input = Readonly<Record<string, unknown>>;

/** Returns the input as an object, or what is wrong with it (§1, step 1). */
export function readInput(tool: string, input: unknown): Input | { readonly malformed: string } {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { malformed: "its input is not an object" };
  const bad = badText(input, 0);
  if (bad !== null) return { malformed: bad };
  const found = input as Input;
  const primary = Object.hasOwn(PRIMARY, tool) ? PRIMARY[tool] : undefined;
  if (primary !== undefined && typeof own(found, primary) !== "string")
    return { malformed: `${primary} is missing or not a text` };
  for (const field of ["path", "glob"]) {
    const value = own(found, field);
    if ((tool === "Glob" || tool === "Grep") && value !== undefined && typeof value !== "string") {
      return { malformed: `${field} is not a text` };
    }
  }
  return found;
}

export function textField(input: Input, field: string): string | null {
  const value = own(input, field);
  return typeof value === "string" ? value : null;
}

function own(input: Input, field: string): unknown {
  return Object.hasOwn(input, field) ? input[field] : undefined;
}

/** Deeper than any tool's input. */
const MAX_DEPTH = 64;

function badText(value: unknown, depth: number): string | null {
  if (typeof value === "string") {
    if (value.includes("\0")) return "its input contains a NUL";
    return value.isWellFormed() ? null : "its input contains half a character";
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth > MAX_DEPTH) return "its input is nested too deeply";
  for (const [name, inner] of Object.entries(value)) {
    const bad = badText(name, depth + 1) ?? badText(inner, depth + 1);
    if (bad !== null) return bad;
  }
  return null;
}
