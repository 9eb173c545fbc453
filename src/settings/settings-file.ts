import { catalogue } from "./catalogue.ts";
import { type Leaf, leavesOf, type Problem } from "./leaves.ts";
import type { SettingsPlace } from "./places.ts";
import { readBounded } from "./read-bounded.ts";
import { nameOf } from "./setting.ts";
import { lineOf, type Restrictions, readSettingsText } from "./settings-text.ts";
import { shown } from "./shown.ts";

/** One file, read and checked. */
export interface SettingsFile extends SettingsPlace {
  readonly leaves: readonly Leaf[];
  /** Something in it that may have restricted could not be read: no file may then widen the mode. */
  readonly cautious: boolean;
  readonly warnings: readonly string[];
  /** The same for two names of one file; null where there is none. */
  readonly identity: string | null;
}

/** Names in one line about unknown keys; a file can have any number. */
const MOST_NAMES = 8;

/** Never rejects: a file that is not there has no settings, and one that cannot be read says so. */
export async function readSettingsFile(place: SettingsPlace): Promise<SettingsFile> {
  const nothing = { ...place, leaves: [], cautious: false, warnings: [], identity: null };
  const read = readBounded(place.file);
  if (read.type === "absent") return nothing;
  if (read.type === "unreadable") {
    const sentence = `${place.file} ${read.problem}; correct that, until then none of its settings count.`;
    return { ...nothing, cautious: true, warnings: [sentence] };
  }
  const { text, identity } = read;
  const parsed = await readSettingsText(text);
  if (parsed.type === "broken") {
    const sentence = `${place.file}: ${parsed.problem}; correct it, until then only what denies or asks in it counts.`;
    const leaves = restrictionLeaves(parsed.restrictions, place);
    return { ...place, leaves, cautious: true, warnings: [sentence], identity };
  }
  const { leaves, problems, unknown, unenforced } = leavesOf(parsed.value, place);
  const sentences = await Promise.all(
    problems.slice(0, MOST_NAMES).map((problem) => problemSentence(problem, place.file, text)),
  );
  const warnings = [
    ...sentences,
    ...(unknown.length > 0 ? [unknownSentence(unknown, place.file)] : []),
    ...(unenforced.length > 0
      ? [
          `${place.file}: Troupe does not enforce ${listed(unenforced)}; use permission rules or troupe.sandbox instead.`,
        ]
      : []),
  ];
  const cautious = problems.some(({ path }) => path[0] === "permissions");
  return { ...place, leaves, cautious, warnings, identity };
}

function restrictionLeaves({ deny, ask, disableBypass }: Restrictions, place: SettingsPlace): Leaf[] {
  return [
    { ...place, setting: catalogue.deny, path: catalogue.deny.path, value: deny },
    { ...place, setting: catalogue.ask, path: catalogue.ask.path, value: ask },
    ...(disableBypass
      ? [{ ...place, setting: catalogue.disableBypass, path: catalogue.disableBypass.path, value: "disable" }]
      : []),
  ];
}

async function problemSentence(problem: Problem, file: string, text: string): Promise<string> {
  const line = await lineOf(text, problem.path);
  const where = line === null ? "" : ` (line ${line})`;
  return `${file}: ${shown(nameOf(problem))} ${problem.message}${where}; correct it, until then ${problem.partly ? "only what is right in it counts" : "it does not count"}.`;
}

function unknownSentence(names: readonly string[], file: string): string {
  return `${file}: there is no setting ${listed(names)}; correct or remove it.`;
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  return `${names.slice(0, MOST_NAMES).map(shown).join(", ")}${more}`;
}
