import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeAll } from "../test/support/remove-all.ts";

/** The project, and what is measured of it: the build, not the sources. */
export const root = join(import.meta.dirname, "..");
export const cli = join(root, "bin/troupe.js");

export interface Ground {
  /** A folder to ask about, with one small file in it. */
  readonly cwd: string;
  readonly file: string;
  /** Where sessions and compiled code are kept. */
  readonly home: string;
  readonly compileCache: string;
}

/** Runs `use` in folders of its own, which are gone afterwards. */
export async function onFreshGround<T>(use: (ground: Ground) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const cwd = join(folder, "project");
  const home = join(folder, "home");
  const file = join(cwd, "small.txt");
  mkdirSync(cwd);
  writeFileSync(file, Array.from({ length: 20 }, (_, n) => `line ${n + 1} of a small file\n`).join(""));
  try {
    return await use({ cwd, file, home, compileCache: join(home, "cache/compile") });
  } finally {
    removeAll(folder);
  }
}
