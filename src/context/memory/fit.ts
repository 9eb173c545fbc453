import type { MemoryFile } from "./memory.ts";
import type { MemoryScope } from "./places.ts";

/** Characters of all memory together, where the window has room for them. */
export const MEMORY_CHARS = 192 * 1024;
/** The share of a window that memory may take, in tokens of about so many characters. */
const WINDOW_SHARE = 0.2;
const CHARS = 3.5;

/** How much memory an agent with this window is told. */
export function memoryRoom(windowTokens: number): number {
  return Math.min(MEMORY_CHARS, Math.floor(windowTokens * WINDOW_SHARE * CHARS));
}

/**
 * The files as they fit into `room` characters, in the same order. What is farthest from the work gives way first, and
 * never what the organisation or the person says to what a folder says.
 */
export function fitted(files: readonly MemoryFile[], room: number): MemoryFile[] {
  let left = room;
  const kept = new Map<MemoryFile, MemoryFile>();
  for (const file of byImportance(files)) {
    const length = Math.min(file.text.length, Math.max(0, left));
    left -= length;
    kept.set(
      file,
      length < file.text.length ? { ...file, text: beginning(file.text, length), cut: true } : file,
    );
  }
  return files.map((file) => kept.get(file) ?? file);
}

const WEIGHT: Readonly<Record<MemoryScope, number>> = { enterprise: 0, user: 1, local: 2, project: 2 };

/** Of the folder's files the nearest, which stand last, come first. */
function byImportance(files: readonly MemoryFile[]): MemoryFile[] {
  const places = new Map(files.map((file, place) => [file, place]));
  const place = (file: MemoryFile) => places.get(file) ?? 0;
  return files.toSorted((a, b) => {
    const weight = WEIGHT[a.scope] - WEIGHT[b.scope];
    if (weight !== 0) return weight;
    return WEIGHT[a.scope] < 2 ? place(a) - place(b) : place(b) - place(a);
  });
}

/** Whole lines, where there are any. */
function beginning(text: string, length: number): string {
  const part = text.slice(0, length).toWellFormed();
  const end = part.lastIndexOf("\n");
  return end === -1 ? part : part.slice(0, end);
}
