import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeAll } from "./remove-all.ts";

/** Not what says how the tests themselves are run: test/support/long.ts, and which build the faults are played with. */
const THEIRS = /^(ANTHROPIC|CLAUDE|TROUPE)_(?!TESTS$|FAULTS_LIBRARY$)/;

/**
 * Tests see a home of their own and no key: none may find, use or change what the person running them has.
 * The variables are those of this process and so of every process it starts.
 */
export default function ownHome(): () => void {
  for (const name of Object.keys(process.env)) {
    if (THEIRS.test(name)) delete process.env[name];
  }
  const home = mkdtempSync(join(tmpdir(), "troupe-tests-"));
  process.env["TROUPE_HOME"] = join(home, ".troupe");
  process.env["GIT_CONFIG_GLOBAL"] = join(home, "gitconfig");
  process.env["GIT_CONFIG_NOSYSTEM"] = "1";
  // Threads and programs that tests start compile the same code again and again.
  process.env["NODE_COMPILE_CACHE"] = join(home, "compiled");
  return () => removeAll(home);
}
