import type { AskDetail } from "../../policy/asks.ts";

/** Returns every argument as the model wrote it; the caller shortens them for display. */
export function detailsOf(input: unknown): AskDetail[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).map(([name, value]) => ({
    name,
    value: typeof value === "string" ? value : JSON.stringify(value),
  }));
}

/** Returns the text of one argument, or null if it has no such text. */
export function wordsIn(input: unknown, name: string): string | null {
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, name)) return null;
  const value: unknown = Reflect.get(input, name);
  return typeof value === "string" ? value : null;
}
