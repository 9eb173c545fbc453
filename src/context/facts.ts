import { hash } from "node:crypto";
import type { Compacted } from "../mailbox/compacted.ts";
import type { Steer, Turn } from "../mailbox/messages.ts";

/** Something a conversation knows that can change, such as the date or a memory file. */
export interface Fact {
  /** What it is, such as `date` or `memory:/path`. */
  readonly key: string;
  /** Changes with the fact. */
  readonly digest: string;
  /** The text for the conversation if the fact is new or has changed. */
  readonly text: string;
}

/** What a conversation knows: the digest of each fact by its key; an empty digest if the fact was removed. */
export type AttachedFacts = Readonly<Record<string, string>>;

/** A notice of changed facts, and their names for the turn that receives it (`Steer.of`). */
export interface FactNews {
  readonly text: string;
  readonly of: readonly string[];
}

const NAME = /^fact:([^=]*)=(.*)$/s;

/**
 * Returns what a conversation knows from its records alone, so that it is the same in every thread and in a resumed
 * session: what it started with, and the notices in turns that are not compacted.
 */
export function knownFacts(
  began: AttachedFacts,
  turns: readonly Pick<Turn, "turn" | "heard">[],
  compacted: Pick<Compacted, "through"> | undefined,
  handed: readonly Steer[] = [],
): AttachedFacts {
  const through = compacted?.through ?? 0;
  const heard = turns.filter(({ turn }) => turn > through).flatMap((turn) => turn.heard);
  const known: Record<string, string> = { ...began };
  for (const name of [...heard, ...handed].flatMap(({ of = [] }) => of)) {
    const [, key, digest] = NAME.exec(name) ?? [];
    if (key !== undefined && digest !== undefined) known[decodeURIComponent(key)] = digest;
  }
  return known;
}

/** Returns what has changed, as one text. `gone` returns the text for a removed fact, or null to say nothing. */
export function factNews(
  facts: readonly Fact[],
  known: AttachedFacts,
  gone: (key: string) => string | null,
): FactNews | null {
  const fresh = facts.filter(({ key, digest }) => known[key] !== digest);
  const now = new Set(facts.map(({ key }) => key));
  const lost = Object.entries(known).flatMap(([key, digest]): Fact[] => {
    const text = digest === "" || now.has(key) ? null : gone(key);
    return text === null ? [] : [{ key, digest: "", text }];
  });
  const news = [...fresh, ...lost];
  if (news.length === 0) return null;
  return { text: news.map(({ text }) => text).join("\n\n"), of: news.map(nameOf) };
}

function nameOf({ key, digest }: Fact): string {
  return `fact:${encodeURIComponent(key.toWellFormed())}=${digest}`;
}

/** Returns a short digest, to recognize a text. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}
