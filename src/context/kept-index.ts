import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Files } from "./files.ts";

const MOST_BYTES = 16 * 1024 * 1024;

/** What was read of each file, by its name and the place it stands in; `stamp` is the file's then. */
export type Kept<T> = ReadonlyMap<string, { readonly stamp: string; readonly read: T }>;

/** What one session has read of many small files, so that the next one need not read those that have not changed. */
export interface KeptIndex<T> {
  /** In Troupe's own folder. */
  readonly path: string;
  /** Raised when what is read of a file changes its meaning. */
  readonly version: number;
  isKept(value: unknown): value is T;
}

/** One for each folder that is worked in. */
export function keptIn(home: string, kind: string, cwd: string): string {
  return join(home, "cache", `${kind}-${hash("sha256", cwd, "hex").slice(0, 16)}.json`);
}

/** Empty where there is none, or none that makes sense: then every file is read. */
export function readKept<T>({ path, version, isKept }: KeptIndex<T>, files: Files): Kept<T> {
  const content = files.read(path, MOST_BYTES);
  if (content.type === "unusable") return new Map();
  const index = json(content.text);
  if (!isObject(index) || index["version"] !== version || !isObject(index["files"])) return new Map();
  const kept = new Map<string, { readonly stamp: string; readonly read: T }>();
  for (const [key, entry] of Object.entries(index["files"])) {
    if (!isObject(entry)) continue;
    const { stamp, read } = entry;
    if (typeof stamp === "string" && isKept(read)) kept.set(key, { stamp, read });
  }
  return kept;
}

/**
 * As a whole or not at all; of two that write at the same moment the later one stays. Where it cannot be written every
 * session reads for itself.
 */
export function writeKept<T>({ path, version }: KeptIndex<T>, kept: Kept<T>): void {
  const folder = dirname(path);
  let own: string | null = null;
  try {
    makeFolders(folder);
    own = mkdtempSync(join(folder, ".index-"));
    const text = JSON.stringify({ version, files: Object.fromEntries(kept) });
    writeFileSync(join(own, "index.json"), text, { mode: 0o600 });
    renameSync(join(own, "index.json"), path);
  } catch {
    // What it would have saved is some milliseconds.
  } finally {
    if (own !== null) rmSync(own, { recursive: true, force: true });
  }
}

/** Level by level: a recursive mkdir never ends below a place like /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  // Somebody else may have been quicker.
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** For checks by hand: a schema would take longer to be made than all of an index to be read. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
