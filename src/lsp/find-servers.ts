import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, open, readFile, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { type KnownServer, languages } from "./languages.ts";
import { projectLanguages } from "./project-languages.ts";
import { readServerEntries, type ServerEntry } from "./server-entry.ts";

/** Bytes of a program that its digest is made of; of a larger one its size counts. */
const MOST_HASHED = 8 * 1024 * 1024;

/** A server that could be started, and by what it is known to be the same the next time. */
export interface LanguageServer {
  readonly language: string;
  /** For people, such as `pyright-langserver`. */
  readonly name: string;
  /** `project`: the program itself is the folder's. Every server runs or loads code of the project, whoever installed it. */
  readonly origin: "project" | "machine";
  readonly file: string;
  readonly args: readonly string[];
  /** By ending of a file. */
  readonly endings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  readonly settings: Readonly<Record<string, unknown>>;
  /** What agreeing to it is remembered by: another program, or other arguments, have another. */
  readonly digest: string;
  /** The file that was agreed to, where it is the project's. */
  readonly program?: { readonly path: string; readonly digest: string };
}

/** Whether the program is still the one that was agreed to: agents write files, too. */
export async function isAsAgreed({ program, file }: LanguageServer): Promise<boolean> {
  if (program === undefined) return true;
  try {
    const real = file === process.execPath ? program.path : await realpath(file);
    return real === program.path && (await digestOf(program.path)) === program.digest;
  } catch {
    return false;
  }
}

/** A language of the project that nothing here serves. */
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
  /** The project. */
  readonly root: string;
  /** The variable of the person's environment. */
  readonly path: string | undefined;
  /** `troupe.languageServers`. */
  readonly said: Readonly<Record<string, unknown>>;
}

/** Looks for servers of the languages that the project is written in; starts none. */
export async function findLanguageServers({ root, path = "", said }: ServerSearch): Promise<FoundServers> {
  const { entries, problems } = readServerEntries(said);
  const known = languages.filter(({ name }) => !entries.has(name));
  const used = await projectLanguages(root, [
    ...known.map(({ name, endings, markers }) => ({ name, endings: Object.keys(endings), markers })),
    ...[...entries].flatMap(([name, entry]) =>
      entry === null ? [] : [{ name, endings: Object.keys(entry.extensionToLanguage), markers: [] }],
    ),
  ]);
  const places = await placesOf(root, path);
  const servers: LanguageServer[] = [];
  const unserved: UnservedLanguage[] = [];
  for (const { name, endings, servers: candidates, install } of known) {
    if (!used.has(name)) continue;
    const found = await firstOf(candidates, places);
    if (found === null) unserved.push({ name, endings: Object.keys(endings), install });
    else servers.push({ ...found, language: name, endings, env: {}, settings: {} });
  }
  for (const [name, entry] of entries) {
    if (entry === null || !used.has(name)) continue;
    const found = await ofEntry(name, entry, places);
    if (typeof found === "string")
      unserved.push({ name, endings: Object.keys(entry.extensionToLanguage), install: found });
    else servers.push(found);
  }
  return { servers, unserved, problems };
}

interface Places {
  readonly root: string;
  /** With links followed: what is in it is the project's. */
  readonly real: string;
  /** Folders of programs, absolute. */
  readonly machine: readonly string[];
}

async function placesOf(root: string, path: string): Promise<Places> {
  const real = await realpath(root).catch(() => root);
  // A relative folder would be another one wherever an agent stands.
  return { root, real, machine: path.split(delimiter).filter(isAbsolute) };
}

type Program = Pick<
  LanguageServer,
  "name" | "origin" | "file" | "args" | "digest" | "initializationOptions" | "program"
>;

async function firstOf(candidates: readonly KnownServer[], places: Places): Promise<Program | null> {
  for (const { command, args, package: wanted, initializationOptions } of candidates) {
    const file =
      wanted === undefined
        ? await programNamed(command, places)
        : (await majorOf(places.root, wanted.name)) >= wanted.fromMajor
          ? await executable(join(places.root, "node_modules", ".bin", command))
          : null;
    if (file === null) continue;
    const program = await programAt(file, command, args, places);
    if (program !== null)
      return { ...program, ...(initializationOptions === undefined ? {} : { initializationOptions }) };
  }
  return null;
}

/** A sentence where there is no such program. */
async function ofEntry(
  language: string,
  { command, args, extensionToLanguage, env, initializationOptions, settings = {} }: ServerEntry,
  places: Places,
): Promise<LanguageServer | string> {
  const isPath = command.includes("/") || command.includes(sep);
  const file = isPath ? await executable(resolve(places.root, command)) : await programNamed(command, places);
  const program = file === null ? null : await programAt(file, command, args, places, env);
  if (program === null) return `the program ${command}, which troupe.languageServers names`;
  const options = initializationOptions === undefined ? {} : { initializationOptions };
  return { ...program, language, endings: extensionToLanguage, env, settings, ...options };
}

/** The project's own first: it fits the project. */
async function programNamed(command: string, { root, machine }: Places): Promise<string | null> {
  for (const folder of [join(root, "node_modules", ".bin"), ...machine]) {
    const file = await executable(join(folder, command));
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
  { root, real }: Places,
  env: Readonly<Record<string, string>> = {},
): Promise<Program | null> {
  try {
    const target = await realpath(file);
    const inside = [root, real].some(
      (folder) => file.startsWith(`${folder}${sep}`) || target.startsWith(`${folder}${sep}`),
    );
    const content = inside ? await digestOf(target) : "";
    const digest = createHash("sha256")
      .update(JSON.stringify(["language server", inside ? "project" : file, name, args, env, content]))
      .digest("hex");
    // The Node that Troupe runs on is new enough; the first on the PATH need not be.
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
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
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

async function majorOf(root: string, name: string): Promise<number> {
  try {
    const text = await readFile(join(root, "node_modules", name, "package.json"), "utf8");
    const parsed: unknown = JSON.parse(text);
    const version =
      typeof parsed === "object" && parsed !== null && "version" in parsed ? parsed.version : "";
    return Number.parseInt(String(version), 10) || 0;
  } catch {
    return 0;
  }
}
