import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";

/** What the file tools cannot do without: their floors, which check nothing and remember nothing. */
export const bareFiles = {
  /** The time of the newest file; the two folders that Glob leaves out are left out by their names. */
  walkAndStat(folder: string): number {
    let newest = 0;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== ".git" && entry.name !== "node_modules")
          newest = Math.max(newest, bareFiles.walkAndStat(path));
      } else if (entry.isFile()) newest = Math.max(newest, statSync(path).mtimeMs);
    }
    return newest;
  },

  /** The way of a program that waits for nothing in its thread. */
  async readThroughThePool(path: string, count: number): Promise<string> {
    const file = await open(path);
    try {
      const { buffer } = await file.read(Buffer.allocUnsafe(count), 0, count, 0);
      return buffer.toString("utf8");
    } finally {
      await file.close();
    }
  },

  readAtOnce(path: string, count: number): string {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.allocUnsafe(count);
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, count, 0));
    } finally {
      closeSync(file);
    }
  },

  readUpTo(path: string, end: number): number {
    const file = openSync(path, "r");
    const bytes = Buffer.allocUnsafe(64 * 1024);
    try {
      let at = 0;
      while (at < end) at += readSync(file, bytes, 0, Math.min(bytes.length, end - at), at);
      return at;
    } finally {
      closeSync(file);
    }
  },

  replace(path: string, from: string, to: string): void {
    const text = readFileSync(path, "utf8").replace(from, to);
    const temporary = `${path}.tmp`;
    const file = openSync(temporary, "w");
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, path);
  },
} as const;
