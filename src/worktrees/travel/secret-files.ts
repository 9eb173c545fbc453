import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { SECRET_PATTERNS } from "../../policy/secrets/patterns.ts";
import type { Repository } from "../environment.ts";
import { parts } from "../git.ts";
import { outputOf } from "../refusal.ts";
import { chunks } from "../side-index.ts";

/** A file with a key is small. */
const READ_BYTES = 4 * 1024 * 1024;

/**
 * Removes untracked files with a secret from an index that has the whole checkout: they must not leave this machine.
 * Returns notes that name them.
 */
export async function leaveSecretsOut(repo: Repository, index: string): Promise<string[]> {
  const asked =
    repo.head === null
      ? ["ls-files", "-z"]
      : ["diff-index", "--cached", "--no-renames", "--diff-filter=A", "--name-only", "-z", repo.head];
  const what = `What is in ${repo.top} could not be checked for secrets`;
  const untracked = parts(outputOf(await repo.git.run(asked, { index }), what));
  const found = untracked.flatMap((path) => {
    const name = secretIn(join(repo.top, path));
    return name === null ? [] : [{ path, name }];
  });
  const paths = found.map(({ path }) => path);
  for (const some of chunks(paths, 400))
    outputOf(await repo.git.run(["update-index", "--force-remove", "--", ...some], { index }), what);
  return found.map(
    ({ path, name }) => `${path} is not sent to runners: it seems to have a secret (${name}).`,
  );
}

/** Returns the name of the first secret in a file, or null. */
function secretIn(file: string): string | null {
  const text = textOf(file);
  const found = SECRET_PATTERNS.find(({ hint, find }) => hint.test(text) && text.search(find) !== -1);
  return found?.name ?? null;
}

function textOf(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // A link, or gone since: it is not read.
    return "";
  }
  try {
    const buffer = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, READ_BYTES));
    return buffer.toString("latin1", 0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}
