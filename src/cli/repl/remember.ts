import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFiles, type Files } from "../../context/files.ts";
import { MAX_MEMORY_FILE_BYTES } from "../../context/memory/memory.ts";
import { type MemorySearch, memoryPaths, projectOf } from "../../context/memory/memory-paths.ts";
import { troupeHome } from "../../journal/paths.ts";
import { errorMessage } from "../../lib/errors.ts";
import { isPathInside } from "../../lib/paths.ts";
import { managedSettingsFile, userPlaces } from "../../settings/paths.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { scopeIn } from "./config-commands.ts";
import type { OwnFiles } from "./slash-context.ts";

const OTHERS: Readonly<Record<MemoryOwner, string>> = {
  project: "--user keeps it for all your projects, --local for you in this one.",
  user: "It counts in all your projects.",
  local: "It is yours alone; keep the file out of git.",
};

/** `/remember [--project|--user|--local] TEXT` adds a line to a memory file; the next request shows it (A18.6). */
export async function remember(argument: string, { own }: { readonly own: OwnFiles }): Promise<string> {
  const { scope, rest } = scopeIn(argument, memoryOwners);
  const text = asItem(rest);
  if (text === "") return "Say what to remember: /remember TEXT, --user or --local before it.";
  const owner = scope ?? "project";
  const { io, cwd } = own;
  const managed = dirname(io.managedSettings ?? managedSettingsFile(process.platform));
  const where = { cwd, ...userPlaces(io.env, io.homedir), home: troupeHome(io.env, io.homedir), managed };
  const target = memoryTarget(owner, where, diskFiles);
  const end = await appendLine(target, text);
  if (end.type === "refused") return safeLine(end.reason);
  const tooLong =
    end.bytes > MAX_MEMORY_FILE_BYTES
      ? [`The file is longer than the ${MAX_MEMORY_FILE_BYTES / 1024} KB that agents get of it; shorten it.`]
      : [];
  const done = `${end.created ? "Kept in the new file" : "Added to"} ${target.path}; the next request knows it.`;
  return [safeLine(done), ...tooLong, OTHERS[owner]].join("\n");
}

/** Formats a list item, with further lines below its first; removes control characters. */
function asItem(text: string): string {
  const lines = text
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim()
    .split("\n")
    .map((line) => line.trimEnd());
  const joined = lines.join("\n  ");
  return joined === "" || /^[-*] /.test(joined) ? joined : `- ${joined}`;
}

/** Whose memory a user adds to; the organisation's is not theirs to write. */
export const memoryOwners = ["project", "user", "local"] as const;
export type MemoryOwner = (typeof memoryOwners)[number];

export interface MemoryTarget {
  readonly path: string;
  /** No link of a project may lead out of this directory; links of the user's own files (null) may lead anywhere. */
  readonly reach: string | null;
}

/** Returns the memory file that exists, the nearest one of a project; else the one that users would create. */
export function memoryTarget(
  owner: MemoryOwner,
  where: Pick<MemorySearch, "cwd" | "claudeDir" | "home" | "managed">,
  files: Files,
): MemoryTarget {
  const project = projectOf(where.cwd, files);
  const paths = memoryPaths(where, project).filter(({ scope, above }) => scope === owner && !above);
  // The nearest directory comes last; within one directory the first file is a tool's own.
  const dirs = [...new Set(paths.map(({ path }) => dirOf(path)))];
  const nearest = owner === "user" ? dirs : dirs.toReversed();
  const inOrder = nearest.flatMap((dir) => paths.filter(({ path }) => dirOf(path) === dir));
  const found = inOrder.find(({ path }) => files.look(path).type !== "none") ?? inOrder[0];
  if (found === undefined) throw new Error("There is no location for a memory file here.");
  return { path: found.path, reach: owner === "user" ? null : found.reach };
}

/** Of `.claude/CLAUDE.md` it is the directory that contains `.claude`. */
function dirOf(path: string): string {
  const dir = dirname(path);
  return dir.endsWith("/.claude") ? dirname(dir) : dir;
}

export type Appended =
  | { readonly type: "appended"; readonly created: boolean; readonly bytes: number }
  /** `reason` is a sentence. */
  | { readonly type: "refused"; readonly reason: string };

/** Adds lines to the end of a text file, which is created if it is missing. What others write at the same time stays. */
export async function appendLine({ path, reach }: MemoryTarget, text: string): Promise<Appended> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const real = await resolveLinks(path);
    if (real === null) return refused(`${path} is a link that leads nowhere; repair it first.`);
    if (reach !== null && !isPathInside(real, await realpath(reach)))
      return refused(`${path} leads out of ${reach} through a link, so nothing was added to it.`);
    const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
    // Not blocking: a pipe without a reader would hold the thread forever.
    const file = await open(real, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0o644);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return refused(`${path} is not a regular file, so nothing was added to it.`);
      const { start, newline } = await readEnding(file, stats.size);
      const bytes = Buffer.from(`${start}${text.replaceAll("\n", newline)}${newline}`);
      await file.write(bytes);
      await file.sync();
      return { type: "appended", created: stats.size === 0, bytes: stats.size + bytes.length };
    } finally {
      await file.close();
    }
  } catch (error) {
    return refused(`${path} could not be written (${errorMessage(error)}).`);
  }
}

/** Returns null for a link to what does not exist. */
async function resolveLinks(path: string): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  if ((await lstat(path).catch(() => null)) !== null) return null;
  return `${await realpath(dirname(path))}${path.slice(dirname(path).length)}`;
}

/** Returns what must come before a new line, and how this file ends its lines. */
async function readEnding(
  file: FileHandle,
  size: number,
): Promise<{ readonly start: string; readonly newline: string }> {
  if (size === 0) return { start: "", newline: "\n" };
  const length = Math.min(2, size);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const end = buffer.toString("latin1");
  return { start: end.endsWith("\n") ? "" : "\n", newline: end === "\r\n" ? "\r\n" : "\n" };
}

function refused(reason: string): { readonly type: "refused"; readonly reason: string } {
  return { type: "refused", reason };
}
