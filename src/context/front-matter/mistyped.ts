import { editDistance } from "../../mailbox/edit-distance.ts";
import type { Fault, Fields } from "./fields.ts";

/** Keys that other programs read from the same files and that are near one of ours. */
const ELSEWHERE: ReadonlySet<string> = new Set(["mode", "permission", "version", "license", "metadata"]);
/** Letters: what is farther is somebody's own word. */
const MOST_DISTANCE = 2;
const MOST_CHARS = 64;
const MOST_TOLD = 5;

export interface KnownKeys {
  /** For sentences: `an agent`. */
  readonly of: string;
  readonly known: readonly string[];
  /** Keys that mean one of them elsewhere, by how they are written there. */
  readonly meant: Readonly<Record<string, string>>;
}

/** A key that is most likely a known one, misspelt. */
export interface Mistyped extends Fault {
  readonly meant: string;
}

/**
 * Keys that say something, are not known, and are near one that is known and does not stand there. Others are left alone:
 * people note what they like.
 */
export function mistypedKeys(fields: Fields, { of, known, meant }: KnownKeys): readonly Mistyped[] {
  // Nearly always, and there may be hundreds of files.
  if ([...fields.keys()].every((key) => known.includes(key))) return [];
  const byPlain = new Map(known.map((key) => [plainKey(key), key]));
  const there = new Set([...fields.keys()].map(plainKey));
  const free = known.filter((key) => !there.has(plainKey(key)));
  const found: Mistyped[] = [];
  for (const [key, { value, line }] of fields) {
    const plain = plainKey(key);
    if (found.length >= MOST_TOLD) break;
    if (value === null || byPlain.has(plain) || ELSEWHERE.has(plain)) continue;
    const other = Object.entries(meant).find(([one]) => plainKey(one) === plain)?.[1];
    const near = other === undefined ? nearest(plain, free) : free.find((one) => one === other);
    if (near === undefined) continue;
    const message = `${key} is no key of ${of}, so it does not count; the nearest is ${near}.`;
    found.push({ line, message, meant: near });
  }
  return found;
}

/** `disallowed-tools`, `disallowed_tools` and `disallowedTools` are one key. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, "");
}

function nearest(plain: string, known: readonly string[]): string | undefined {
  if (plain.length > MOST_CHARS) return undefined;
  const [first] = known
    .map((key) => ({ key, plain: plainKey(key), distance: editDistance(plain, plainKey(key)) }))
    .filter((one) => one.distance <= Math.min(MOST_DISTANCE, Math.max(1, Math.floor(one.plain.length / 3))))
    .sort((a, b) => a.distance - b.distance);
  return first?.key;
}
