import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { parseJson } from "../../lib/json.ts";

/** The user's earlier prompts, over all conversations. */
export interface HistoryFile {
  /** Newest first. */
  readonly lines: readonly string[];
  /** One sentence on why it cannot be saved. */
  readonly problem?: string;
  /** Never rejects: a prompt matters more than its history. */
  add(line: string): Promise<void>;
}

/** Entries kept, and characters of one; a longer one is not worth keeping. */
const MAX_LINES = 1000;
const MAX_LINE = 10_000;
/** A larger file is cut to its last entries when a conversation starts. */
const MAX_BYTES = 1_000_000;

/**
 * Opens `history` in Troupe's home: one JSON string per line, oldest first, for this user only. Several conversations
 * may append at the same time. Refuses a link or a pipe.
 */
export async function openHistory(home: string): Promise<HistoryFile> {
  const path = join(home, "history");
  try {
    const lines = await load(path);
    let last = Promise.resolve();
    // One after the other, to keep the order in which they were typed.
    const add = (line: string) => (last = last.then(() => append(path, line)));
    return { lines, add };
  } catch (error) {
    const problem = `What you type is not remembered: ${errorMessage(error)}; move ${path} away.`;
    return { lines: [], problem, add: async () => {} };
  }
}

async function load(path: string): Promise<string[]> {
  const file = await openPrivate(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer
      .toString("utf8", 0, bytesRead)
      .split("\n")
      .flatMap((line) => entryOf(line))
      .slice(-MAX_LINES);
    if (from > 0) await rewrite(file, lines);
    return [...new Set(lines.reverse())];
  } finally {
    await file.close();
  }
}

/** Cuts in place: a crash may lose half of the history, but a second file could be left behind. */
async function rewrite(file: FileHandle, lines: readonly string[]): Promise<void> {
  await file.truncate(0);
  await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

async function append(path: string, line: string): Promise<void> {
  if (line.length > MAX_LINE) return;
  try {
    const file = await openPrivate(path);
    try {
      await file.appendFile(`${JSON.stringify(line)}\n`);
    } finally {
      await file.close();
    }
  } catch {
    // It was writable at the start; otherwise the session's journal reports the disk.
  }
}

async function openPrivate(path: string): Promise<FileHandle> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const { mode, uid } = await file.stat();
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new Error("it is not a file");
    if (process.getuid !== undefined && uid !== process.getuid()) throw new Error("it is another user's");
    if ((mode & 0o077) !== 0) await file.chmod(0o600);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Ignores an incomplete or foreign line. */
function entryOf(line: string): string[] {
  const entry = parseJson(line);
  return typeof entry === "string" && entry !== "" ? [entry] : [];
}
