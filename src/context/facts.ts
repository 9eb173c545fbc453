import type { Compacted } from "../mailbox/compacted.ts";
import type { Steer, Turn } from "../mailbox/messages.ts";

/** Something a conversation is told that can change while it goes on, such as the date or a memory file. */
export interface Fact {
  /** What it is, such as `date` or `memory:/path`. */
  readonly key: string;
  /** By which it is known whether it is still the same. */
  readonly digest: string;
  /** As it is told where it is new, or has changed. */
  readonly text: string;
}

/** What a conversation has been told: the digest of each fact by its key; an empty one: that it is no more. */
export type Told = Readonly<Record<string, string>>;

/** What is to be told, and the names by which the turn that hears it says so (`Steer.of`). */
export interface FactNews {
  readonly text: string;
  readonly of: readonly string[];
}

const NAME = /^fact:([^=]*)=(.*)$/s;

/**
 * What a conversation knows by its records alone, so that it holds in every thread and in a session that is taken up
 * again: what it began with, and what it was told since in a turn that still stands in it.
 */
export function knownFacts(
  began: Told,
  turns: readonly Pick<Turn, "turn" | "heard">[],
  compacted: Pick<Compacted, "through"> | undefined,
  handed: readonly Steer[] = [],
): Told {
  const through = compacted?.through ?? 0;
  const heard = turns.filter(({ turn }) => turn > through).flatMap((turn) => turn.heard);
  const known: Record<string, string> = { ...began };
  for (const name of [...heard, ...handed].flatMap(({ of = [] }) => of)) {
    const [, key, digest] = NAME.exec(name) ?? [];
    if (key !== undefined && digest !== undefined) known[decodeURIComponent(key)] = digest;
  }
  return known;
}

/** What has changed, as one text. `gone` says it of a fact that is no more; null: nothing is to be said of that. */
export function factNews(
  facts: readonly Fact[],
  known: Told,
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
