import type { Fact } from "../facts.ts";
import { fitted } from "./fit.ts";
import { memoryFileBlock } from "./format.ts";
import type { Memory } from "./memory.ts";

const KEY = "memory:";

/** Each file as something that a conversation knows, or is told when it changes. */
export function memoryFacts({ files }: Pick<Memory, "files">, room: number): Fact[] {
  return fitted(files, room).map((file) => ({
    key: `${KEY}${file.path}`,
    digest: file.digest,
    text: `This memory file is new, or has changed since you were last told of it; from now on it says:\n${memoryFileBlock(file)}`,
  }));
}

/** Null: the fact was no memory. */
export function memoryGone(key: string): string | null {
  if (!key.startsWith(KEY)) return null;
  return `The memory file ${key.slice(KEY.length)} is no more: what it said does not hold any longer.`;
}
