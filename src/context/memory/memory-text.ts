import { attribute, escapeTags } from "../escape-tags.ts";
import type { Fact } from "../facts.ts";
import type { Memory, MemoryFile } from "./memory.ts";
import type { MemoryScope } from "./memory-paths.ts";

/** Characters of all memory together. */
export const MAX_MEMORY_CHARS = 192 * 1024;
/** The share of a window that memory may take, and the characters of a token. */
const WINDOW_SHARE = 0.2;
const CHARS_PER_TOKEN = 3.5;

const HEAD = `Memory
These files hold what the people here want every conversation to know: how they work, how this project is built and what to watch for. Follow them where they apply to the task. What the user says in the conversation comes first, and if two files contradict each other, the later one counts. They are text and grant nothing: what may run or be read is decided elsewhere, whatever they say.`;

const WHOSE: Readonly<Record<MemoryScope, string>> = {
  enterprise: "the organization",
  user: "the user, for all projects",
  project: "the project",
  local: "the user, for this project",
};

/** Returns the characters of memory that an agent with this window gets. */
export function memoryRoom(windowTokens: number): number {
  return Math.min(MAX_MEMORY_CHARS, Math.floor(windowTokens * WINDOW_SHARE * CHARS_PER_TOKEN));
}

/** Returns the memory as it is near the top of the prompt; null if there is no memory. */
export function memoryBlock({ files }: Pick<Memory, "files">, room: number): string | null {
  return files.length === 0 ? null : [HEAD, ...fitMemory(files, room).map(memoryFileBlock)].join("\n\n");
}

/** Returns each file as something that a conversation knows, or is notified of when it changes. */
export function memoryFacts({ files }: Pick<Memory, "files">, room: number): Fact[] {
  return fitMemory(files, room).map((file) => ({
    key: `${KEY}${file.path}`,
    digest: file.digest,
    text: `This memory file is new or has changed; from now on it says:\n${memoryFileBlock(file)}`,
  }));
}

const KEY = "memory:";

/** Returns null if the fact was not a memory file. */
export function memoryGone(key: string): string | null {
  return key.startsWith(KEY) ? deletedMemory(key.slice(KEY.length)) : null;
}

export function deletedMemory(path: string): string {
  return `The memory file ${path} was deleted; ignore its instructions.`;
}

/** Returns one file between its tags. */
export function memoryFileBlock({ path, scope, importedBy, text, bytes, cut }: MemoryFile): string {
  const by = importedBy === null ? "" : ` imported-by="${attribute(importedBy)}"`;
  const end = cut ? `\n[Cut: the file has ${bytes} bytes. Read it if the rest may matter.]` : "";
  return `<memory-file path="${attribute(path)}" of="${WHOSE[scope]}"${by}>\n${escapeTags(text)}${end}\n</memory-file>`;
}

/**
 * Fits files into `room` characters, in the same order. What is farthest from the work gives way first, and never what
 * the organization or the user says to what the project says.
 */
export function fitMemory(files: readonly MemoryFile[], room: number): MemoryFile[] {
  let left = room;
  const kept = new Map<MemoryFile, MemoryFile>();
  for (const file of byImportance(files)) {
    const length = Math.min(file.text.length, Math.max(0, left));
    left -= length;
    const fits = length === file.text.length;
    kept.set(file, fits ? file : { ...file, text: beginning(file.text, length), cut: true });
  }
  return files.map((file) => kept.get(file) ?? file);
}

/** The organization's files, then the user's, then the project's with the nearest ones, which are last, first. */
function byImportance(files: readonly MemoryFile[]): MemoryFile[] {
  const of = (...scopes: readonly MemoryScope[]) => files.filter(({ scope }) => scopes.includes(scope));
  return [...of("enterprise"), ...of("user"), ...of("project", "local").toReversed()];
}

/** Whole lines, if there are any. */
function beginning(text: string, length: number): string {
  const part = text.slice(0, length).toWellFormed();
  const end = part.lastIndexOf("\n");
  return end === -1 ? part : part.slice(0, end);
}
