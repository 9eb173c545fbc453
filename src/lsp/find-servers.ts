import { hash } from "node:crypto";
import { constants } from "node:fs";
import { access, open, readFile, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { parseJson, valueAt } from "../lib/json.ts";
import { isPathInside } from "../lib/paths.ts";
import {
  type KnownServer,
  type LanguageServerEntry,
  languages,
  projectLanguages,
  readServerEntries,
} from "./languages.ts";

/** A larger program is known by its size. */
const MOST_HASHED = 8 * 1024 * 1024;

/** A server that could be started, and its identity for the next time. */
export interface LanguageServer {
  readonly language: string;
  readonly name: string;
  /** `project`: the program is in the directory. A server of the machine also loads code of the project. */
  readonly origin: "project" | "machine";
  readonly file: string;
  readonly args: readonly string[];
  /** By ending, the protocol's name of the language. */
  readonly endings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The key of the user's agreement: another program, or other arguments, have another. */
  readonly digest: string;
  /** The file that the user agreed to, if it is the project's. */
  readonly program?: { readonly path: string; readonly digest: string };
}

/** True if the program is still the one that the user agreed to: agents write files, too. */
export async function isUnchanged({ program, file }: LanguageServer): Promise<boolean> {
  if (program === undefined) return true;
  try {
    const real = file === process.execPath ? program.path : await realpath(file);
    return real === program.path && (await digestOf(program.path)) === program.digest;
  } catch {
    return false;
  }
}

export interface UnservedLanguage {
  readonly name: string;
  readonly endings: readonly string[];
  readonly install: string;
}

export interface FoundServers {
  readonly servers: readonly LanguageServer[];
  readonly unserved: readonly UnservedLanguage[];
  readonly problems: readonly string[];
}

export interface ServerSearch {
  readonly root: string;
  readonly path: string | undefined;
  readonly setting: Readonly<Record<string, unknown>>;
}

/** Finds servers for the project's languages; starts none. */
export async function findLanguageServers({ root, path = "", setting }: ServerSearch): Promise<FoundServers> {
  const { entries, problems } = readServerEntries(setting);
  const known = languages.filter(({ name }) => !entries.has(name));
  const used = await projectLanguages(root, [
    ...known.map(({ name, endings, markers }) => ({ name, endings: Object.keys(endings), markers })),
    ...[...entries].flatMap(([name, entry]) =>
      entry === null ? [] : [{ name, endings: Object.keys(entry.extensionToLanguage), markers: [] }],
    ),
  ]);
  const dirs = await searchDirs(root, path);
  const servers: LanguageServer[] = [];
  const unserved: UnservedLanguage[] = [];
  for (const { name, endings, servers: candidates, install } of known) {
    if (!used.has(name)) continue;
    const found = await findFirst(candidates, dirs);
    if (found === null) unserved.push({ name, endings: Object.keys(endings), install });
    else servers.push({ ...found, language: name, endings, env: {}, settings: {} });
  }
  for (const [name, entry] of entries) {
    if (entry === null || !used.has(name)) continue;
    const found = await findEntry(name, entry, dirs);
    if (typeof found === "string")
      unserved.push({ name, endings: Object.keys(entry.extensionToLanguage), install: found });
    else servers.push(found);
  }
  return { servers, unserved, problems };
}

interface SearchDirs {
  readonly root: string;
  readonly real: string;
  readonly machine: readonly string[];
}

async function searchDirs(root: string, path: string): Promise<SearchDirs> {
  const real = await realpath(root).catch(() => root);
  // A relative directory would depend on the agent's working directory.
  return { root, real, machine: path.split(delimiter).filter(isAbsolute) };
}

type Program = Pick<
  LanguageServer,
  "name" | "origin" | "file" | "args" | "digest" | "initializationOptions" | "program"
>;

async function findFirst(candidates: readonly KnownServer[], dirs: SearchDirs): Promise<Program | null> {
  for (const { command, args, package: wanted, initializationOptions } of candidates) {
    const file =
      wanted === undefined
        ? await programNamed(command, dirs)
        : (await majorOf(dirs.root, wanted.name)) >= wanted.fromMajor
          ? await executable(join(dirs.root, "node_modules", ".bin", command))
          : null;
    if (file === null) continue;
    const program = await programAt(file, command, args, dirs);
    if (program !== null)
      return { ...program, ...(initializationOptions === undefined ? {} : { initializationOptions }) };
  }
  return null;
}

async function findEntry(
  language: string,
  { command, args, extensionToLanguage, env, initializationOptions, settings = {} }: LanguageServerEntry,
  dirs: SearchDirs,
): Promise<LanguageServer | string> {
  const isPath = command.includes("/") || command.includes(sep);
  const file = isPath ? await executable(resolve(dirs.root, command)) : await programNamed(command, dirs);
  const program = file === null ? null : await programAt(file, command, args, dirs, env);
  if (program === null) return `the program ${command}, which troupe.languageServers names`;
  const options = initializationOptions === undefined ? {} : { initializationOptions };
  return { ...program, language, endings: extensionToLanguage, env, settings, ...options };
}

/** The project's own program comes first: it has the right version. */
async function programNamed(command: string, { root, machine }: SearchDirs): Promise<string | null> {
  for (const dir of [join(root, "node_modules", ".bin"), ...machine]) {
    const file = await executable(join(dir, command));
    if (file !== null) return file;
  }
  return null;
}

async function executable(file: string): Promise<string | null> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile() ? file : null;
  } catch {
    return null;
  }
}

async function programAt(
  file: string,
  name: string,
  args: readonly string[],
  { root, real }: SearchDirs,
  env: Readonly<Record<string, string>> = {},
): Promise<Program | null> {
  try {
    const target = await realpath(file);
    const inside = [root, real].some((dir) => isPathInside(file, dir) || isPathInside(target, dir));
    const content = inside ? await digestOf(target) : "";
    const identity = ["language server", inside ? "project" : file, name, args, env, content];
    const digest = hash("sha256", JSON.stringify(identity));
    // Troupe's own Node is new enough; the one on the PATH may not be.
    const command = (await isNodeScript(target))
      ? { file: process.execPath, args: [target, ...args] }
      : { file, args };
    return {
      name,
      origin: inside ? "project" : "machine",
      ...command,
      digest,
      ...(inside ? { program: { path: target, digest: content } } : {}),
    };
  } catch {
    return null;
  }
}

async function digestOf(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MOST_HASHED) return `${size} bytes`;
  return hash("sha256", await readFile(file));
}

async function isNodeScript(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return /^#![^\n]*\bnode\b/.test(buffer.toString("latin1", 0, bytesRead));
  } finally {
    await handle.close();
  }
}

/** Returns the major version of a package in the project's node_modules, or 0. */
async function majorOf(root: string, name: string): Promise<number> {
  const file = join(root, "node_modules", name, "package.json");
  const version = valueAt(parseJson(await readFile(file, "utf8").catch(() => "")), ["version"]);
  return Number.parseInt(String(version), 10) || 0;
}
