import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Files } from "./files.ts";
import { type Asked, isUnchanged } from "./tracked-files.ts";

const MOST_BYTES = 16 * 1024 * 1024;
/** Room that is left to journals where the disk is nearly full. */
const JOURNALS_BYTES = 1024 * 1024;

/** What was read of each file, by its name and the place it stands in; `stamp` is the file's then. */
export type Kept<T> = ReadonlyMap<string, { readonly stamp: string; readonly read: T }>;

/** What one session has read of many small files, so that the next one need not read those that have not changed. */
export interface KeptIndex<T> {
  /** In Troupe's own folder. */
  readonly path: string;
  /** Raised when what is read of a file changes its meaning, or its shape. */
  readonly version: number;
  /** Of what is kept: the compiler ties an index to it by this, and nothing else does. */
  readonly of?: T;
}

/** One for each folder that is worked in, or whatever else tells one from another. */
export function keptIn(home: string, kind: string, where: string): string {
  return join(home, "cache", `${kind}-${hash("sha256", where, "hex").slice(0, 16)}.json`);
}

/** Empty where there is none, or none as it was written: then every file is read. */
export function readCache<T>(index: KeptIndex<T>, files: Files): Kept<T> {
  const entries: Entries<T> = readWritten(index, files) ?? [];
  return new Map(entries.map(([key, stamp, read]) => [key, { stamp, read }]));
}

/** No object: one with so many keys is slow to make. */
type Entries<T> = readonly (readonly [key: string, stamp: string, read: T])[];

export function writeKept<T>(index: KeptIndex<T>, kept: Kept<T>): void {
  write(index, [...kept].map(([key, { stamp, read }]) => [key, stamp, read]) satisfies Entries<T>);
}

/** What came of all files together, with what was asked for it. */
export interface Made<T> {
  readonly asked: Asked;
  readonly made: T;
}

/** Null where there is none as it was written, or where anything that was asked would be answered otherwise now. */
export function readMade<T>(index: KeptIndex<T>, files: Files): Made<T> | null {
  const kept: Made<T> | null = readWritten(index, files);
  const asked = kept === null ? null : isUnchanged(kept.asked, files);
  return kept === null || asked === null ? null : { ...kept, asked };
}

export function writeMade<T>(index: KeptIndex<T>, { asked, made }: Made<T>): void {
  write(index, { asked, made });
}

type Place = Pick<KeptIndex<unknown>, "path" | "version">;

/**
 * To look at every value of it would take longer than all the rest: by its digest it is, whole, what was written, and
 * whoever asks knows what that is.
 */
function readWritten({ path, version }: Place, files: Files) {
  const bytes = files.bytes(path, MOST_BYTES);
  if (bytes === null) return null;
  const length = headOf(version, "").length + DIGEST_CHARS;
  const [head, body] = [bytes.subarray(0, length), bytes.subarray(length, -1)];
  if (new TextDecoder().decode(head) !== headOf(version, digestOf(body))) return null;
  return JSON.parse(new TextDecoder().decode(body));
}

const DIGEST_CHARS = 64;

/** It fits nothing that was cut off, changed by hand or written by another version. */
function headOf(version: number, digest: string): string {
  return `{"version":${version},"digest":"${digest}","files":`;
}

/** In one call: a hash that is fed takes longer to make than this takes. */
function digestOf(body: Uint8Array): string {
  return hash("sha256", body, "hex");
}

/**
 * As a whole or not at all; of two that write at the same moment the later one stays. Where it cannot be written every
 * session reads for itself.
 */
function write({ path, version }: Place, value: unknown): void {
  const folder = dirname(path);
  let own: string | null = null;
  try {
    makeFolders(folder);
    const body = Buffer.from(JSON.stringify(value));
    const all = Buffer.concat([Buffer.from(headOf(version, digestOf(body))), body, Buffer.from("}")]);
    if (!leavesRoom(folder, all.length)) return;
    own = mkdtempSync(join(folder, ".index-"));
    writeFileSync(join(own, "index"), all, { mode: 0o600 });
    renameSync(join(own, "index"), path);
  } catch {
    // What it would have saved is some milliseconds.
  } finally {
    if (own !== null) rmSync(own, { recursive: true, force: true });
  }
}

/** The journal is on the same disk, and what it cannot write is lost. */
function leavesRoom(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize - bytes > JOURNALS_BYTES;
}

/** Level by level: a recursive mkdir never ends below a place like /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  // Somebody else may have been quicker.
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
}

/** Where all is known nothing is waited for. */
export async function allOf<T>(given: readonly (T | Promise<T>)[]): Promise<readonly T[]> {
  const there = given.filter((one): one is T => !(one instanceof Promise));
  return there.length === given.length ? there : Promise.all(given);
}
