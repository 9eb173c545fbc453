import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Returns the groups that the files of a directory export. */
export async function readGroups<T extends { readonly about: string }>(
  dir: "attacks" | "independent",
): Promise<readonly T[]> {
  const groups: T[] = [];
  for (const name of readdirSync(join(import.meta.dirname, dir))) {
    const file: Readonly<Record<string, unknown>> = await import(join(import.meta.dirname, dir, name));
    for (const table of Object.values(file)) if (Array.isArray(table)) groups.push(...table.filter(isGroup));
  }
  return groups;
}

function isGroup(value: unknown): boolean {
  return typeof value === "object" && value !== null && "about" in value;
}
