import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Files } from "../files.ts";
import type { ReadSkill } from "./read-skill.ts";
import { type Skill, skillOrigins } from "./skill.ts";

/** Raised when what is read of a file changes its meaning. */
const VERSION = 2;
const MOST_BYTES = 16 * 1024 * 1024;

/** What was read of each file, by its name and the place it stands in; `stamp` is the file's then. */
export type Known = ReadonlyMap<string, Entry>;

interface Entry {
  readonly stamp: string;
  readonly read: ReadSkill;
}

/** One for each folder that is worked in. */
export function indexPath(home: string, cwd: string): string {
  return join(home, "cache", `skills-${hash("sha256", cwd, "hex").slice(0, 16)}.json`);
}

/** Empty where there is none, or none that makes sense: then every file is read. */
export function readIndex(path: string, files: Files): Known {
  const content = files.read(path, MOST_BYTES);
  if (content.type === "unusable") return new Map();
  const index = json(content.text);
  if (!isObject(index) || index["version"] !== VERSION || !isObject(index["files"])) return new Map();
  const known = new Map<string, Entry>();
  for (const [key, entry] of Object.entries(index["files"])) if (isEntry(entry)) known.set(key, entry);
  return known;
}

/** As a whole or not at all; of two that write at the same moment the later one stays. Null, or a sentence. */
export function writeIndex(path: string, known: Known): string | null {
  const folder = dirname(path);
  let own: string | null = null;
  try {
    makeFolders(folder);
    own = mkdtempSync(join(folder, ".skills-"));
    const text = JSON.stringify({ version: VERSION, files: Object.fromEntries(known) });
    writeFileSync(join(own, "index.json"), text, { mode: 0o600 });
    renameSync(join(own, "index.json"), path);
    return null;
  } catch (error) {
    return `The index of skills could not be written (${error instanceof Error ? error.message : error}).`;
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

type Fields = Readonly<Record<string, unknown>>;

/** By hand: a schema would take longer to be made than all of this to be read. */
function isEntry(value: unknown): value is Entry {
  if (!isObject(value) || typeof value["stamp"] !== "string" || !isObject(value["read"])) return false;
  const { skill, notes, real } = value["read"];
  return (skill === null || isSkill(skill)) && isTexts(notes) && typeof real === "string";
}

const TEXTS = ["name", "description", "path"] as const;
const TEXTS_OR_NULL = ["whenToUse", "argumentHint", "model", "agent", "plugin"] as const;
const LISTS = ["allowedTools", "arguments", "commands"] as const;
const FLAGS = ["forModel", "forPerson", "forks"] as const;

function isSkill(value: unknown): value is Skill {
  if (!isObject(value)) return false;
  const { kind, origin } = value;
  return (
    TEXTS.every((key) => typeof value[key] === "string") &&
    TEXTS_OR_NULL.every((key) => value[key] === null || typeof value[key] === "string") &&
    LISTS.every((key) => isTexts(value[key])) &&
    FLAGS.every((key) => typeof value[key] === "boolean") &&
    (kind === "skill" || kind === "command") &&
    skillOrigins.some((one) => one === origin)
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
