import type { Seeded } from "../../../faults/seeded.ts";

/**
 * JSON files whose entries are wide apart, so that two changes meet only where both change the same entry. The value of
 * an entry names all who changed it, which is how a merge can be checked, and a conflict be settled by keeping both.
 */
export const FILES = 8;
/** Entries of each file; the first one is everybody's. */
const ENTRIES = 8;
const APART = 4;

export interface Edit {
  readonly path: string;
  readonly entry: string;
}

export function sharedFiles(): Record<string, string> {
  const files: Record<string, string> = { "check.mjs": CHECK };
  for (let at = 0; at < FILES; at += 1) files[pathOf(at)] = oneFile(at);
  return files;
}

export function pathOf(file: number): string {
  return `data/${file}.json`;
}

function oneFile(file: number): string {
  const lines = Array.from({ length: ENTRIES }, (_, at) => [
    ...Array.from({ length: APART }, (__, line) => `  "apart ${file}.${at}.${line}": 0,`),
    `  "entry ${at}": "",`,
  ]);
  return `{\n${lines.flat().join("\n")}\n  "end": 0\n}\n`;
}

/** Exits with 1 where a file is no JSON, or an entry names somebody twice. */
const CHECK = `import { readdirSync, readFileSync } from "node:fs";
for (const name of readdirSync("data")) {
  const all = JSON.parse(readFileSync("data/" + name, "utf8"));
  for (const [entry, value] of Object.entries(all)) {
    const names = String(value).split("+");
    if (new Set(names).size !== names.length) throw new Error(name + " has " + value + " in " + entry);
  }
}
`;
export const CHECK_COMMAND = "node check.mjs";

/** Three edits of each agent, of which 30 in a hundred are of entries that are everybody's. */
export function editsOf(agents: number, random: Seeded): Edit[][] {
  const own = Array.from({ length: FILES * (ENTRIES - 1) }, (_, at) => ({
    path: pathOf(at % FILES),
    entry: `entry ${1 + Math.floor(at / FILES)}`,
  }));
  const edits = Array.from({ length: agents }, (): Edit[] => []);
  for (let at = 0; at < agents * 3; at += 1) {
    const mine = edits[at % agents] ?? [];
    const isShared = random.next() < 0.3;
    const edit = isShared ? { path: pathOf(random.between(0, 3)), entry: "entry 0" } : own.pop();
    if (edit && !mine.some(({ path, entry }) => path === edit.path && entry === edit.entry)) mine.push(edit);
  }
  return edits;
}

/** The text of a file in which somebody's name is added to an entry. */
export function withName(text: string, entry: string, name: string): string {
  return text.replace(new RegExp(`("${entry}": ")([^"]*)"`), (_, start: string, value: string) =>
    value.split("+").includes(name) ? `${start}${value}"` : `${start}${joined(value, name)}"`,
  );
}

export function namesIn(text: string, entry: string): string[] {
  const value = new RegExp(`"${entry}": "([^"]*)"`).exec(text)?.[1] ?? "";
  return value.split("+").filter((name) => name !== "");
}

const MARKED = /^<{7}[^\n]*\n([\s\S]*?)(?:^\|{7}[^\n]*\n[\s\S]*?)?^={7}\n([\s\S]*?)^>{7}[^\n]*\n/gm;

export function hasMarks(text: string): boolean {
  return text.includes("<<<<<<< ");
}

/** Both sides hold: each entry has the names of both. */
export function settled(text: string): string {
  return text.replace(MARKED, (_, theirs: string, ours: string) =>
    theirs.replace(/"(entry \d+)": "([^"]*)"/g, (__, entry: string, value: string) => {
      const all = new Set([...value.split("+"), ...namesIn(ours, entry)].filter((name) => name !== ""));
      return `"${entry}": "${[...all].join("+")}"`;
    }),
  );
}

function joined(value: string, name: string): string {
  return value === "" ? name : `${value}+${name}`;
}
