import type { ActorId } from "../../mailbox/ids.ts";

/** A prompt, parsed once so that it can be compared with many. */
export interface SpawnedTask {
  /** All words, without punctuation and capitals. */
  readonly text: string;
  /** What it is about: the words that are not common to all tasks. */
  readonly content: ReadonlySet<string>;
  /** Every three consecutive words. */
  readonly shingles: ReadonlySet<string>;
}

/** A task that an agent works on. */
export interface Taken {
  readonly id: ActorId;
  /** What it is called. */
  readonly title: string;
  readonly task: SpawnedTask;
}

/** Prompts with more words are not parsed. */
const MOST_WORDS = 2_000;
const ROW = 3;
/** The share of shingles that practically equal prompts have in common. */
const ALIKE = 0.6;

/** Words that any task may have; in English, as most prompts of models are. */
const COMMON = new Set(
  "a all also an and any are as at be by can do each every for from has have how i if in into is it its me my of on or our please report so that the their them then there these they this to was we what when where which will with you your".split(
    " ",
  ),
);

export function taskOf(prompt: string): SpawnedTask {
  const words = (prompt.normalize("NFKC").match(/[\p{L}\p{N}][\p{L}\p{N}_./:@#-]*/gu) ?? []).map((word) =>
    word.replace(/[./:@#-]+$/u, ""),
  );
  const lower = words.map((word) => word.toLowerCase());
  const text = lower.join(" ");
  // The difference of two very long prompts may be anywhere: only equal texts are then the same task.
  if (words.length > MOST_WORDS) return { text, content: new Set(), shingles: new Set() };
  const rows = lower
    .slice(0, Math.max(1, words.length - ROW + 1))
    .map((_, at) => lower.slice(at, at + ROW).join(" "));
  return { text, content: new Set(words.flatMap(contentOf)), shingles: new Set(rows) };
}

/** A single capital is a name: variant A is not variant B. */
function contentOf(word: string): string[] {
  const lower = word.toLowerCase();
  const isName = word.length === 1 && word !== lower;
  return isName || !COMMON.has(lower) ? [lower] : [];
}

/**
 * Returns a hint for the result of the call, which names the agent that works on practically the same task already (C6), or null. Prompts that differ in what they
 * are about (a file, a name) are different tasks, however much of a template they share. A hint, never a reason to
 * refuse.
 */
export function sameTaskHint(task: SpawnedTask, others: Iterable<Taken>): string | null {
  for (const { id, title, task: other } of others)
    if (isSame(task, other))
      return `Agent ${id} (${title}) was already at work on practically the same task: use both reports as one, and do not ask again.`;
  return null;
}

function isSame(a: SpawnedTask, b: SpawnedTask): boolean {
  if (a.text === "" || b.text === "") return false;
  if (a.text === b.text) return true;
  if (a.shingles.size === 0 || b.shingles.size === 0) return false;
  const [shorter, longer] = a.content.size <= b.content.size ? [a, b] : [b, a];
  if (!shorter.content.isSubsetOf(longer.content)) return false;
  const common = shorter.shingles.intersection(longer.shingles).size;
  return common >= ALIKE * (shorter.shingles.size + longer.shingles.size - common);
}
