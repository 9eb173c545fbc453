import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import type { TestRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { groundOf } from "../support/worktree-ground.ts";

/** Before the first so many commands with these words in them the person cleans up. */
const WRAPPER = `#!/bin/sh
case "$*" in *"$GC_AT"*)
  n=$(( $(cat "$GC_COUNT" 2>/dev/null || echo 0) + 1 ))
  [ $n -gt "$GC_TIMES" ] || { echo $n > "$GC_COUNT"; "$REAL_GIT" gc -q --prune=now; };;
esac
exec "$REAL_GIT" "$@"
`;

/** Ground whose git does so: `at`, `times`. */
export function cleanedUp(person: TestRepository, at: string, times: number): GitEnvironment {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "git"), WRAPPER, { mode: 0o755 });
  const real = execFileSync("sh", ["-c", "command -v git"], { env: person.env, encoding: "utf8" }).trim();
  const known = groundOf(person);
  const gc = { REAL_GIT: real, GC_AT: at, GC_TIMES: String(times), GC_COUNT: join(folder, "count") };
  return { ...known, env: { ...known.env, ...gc, PATH: `${folder}:${known.env["PATH"] ?? ""}` } };
}
