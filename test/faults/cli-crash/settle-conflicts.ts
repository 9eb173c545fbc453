import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorktreeResult } from "../../../src/mailbox/worktree.ts";
import type { Place } from "./program.ts";

/**
 * Makes the places alike that `troupe worktrees merge` has named, in the checkout and in the worktree, with the lines of
 * both sides. Returns why what it said is not true, or null.
 */
export function settleConflicts(said: string, { base, path }: WorktreeResult, place: Place): string | null {
  const [, named = "", folder] =
    /conflict with the checkout, so nothing was changed:\n(.*?)They stay in (.*?), on branch/s.exec(said) ??
    [];
  const files = named.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  if (files.length === 0) return "it names no conflict";
  if (folder !== path || path === undefined) return `the edits are not in ${folder}`;
  for (const file of files) {
    const [ours, theirs] = [join(place.repository, file), join(path, file)];
    const before = join(mkdtempSync(join(place.root, "base-")), "file");
    const found = run("git", ["show", `${base}:${file}`], place);
    if (found.status !== 0) return `${file} was in nothing that both sides began from`;
    writeFileSync(before, found.stdout);
    const merge = (how: readonly string[]) =>
      run("git", ["merge-file", "-p", ...how, ours, before, theirs], place);
    if (merge([]).status === 0) return `${file} has no conflict`;
    const both = merge(["--union"]).stdout;
    for (const side of [ours, theirs]) writeFileSync(side, both);
  }
  return null;
}

function run(command: string, args: readonly string[], { repository }: Place) {
  return spawnSync(command, args, { cwd: repository, encoding: "utf8" });
}
