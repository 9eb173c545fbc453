import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { printable } from "../../lib/text.ts";
import { commandEnvironment } from "../../processes/environment.ts";
import { type Git, type GitAnswer, gitIn } from "../../worktrees/git.ts";
import { printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import type { Clone } from "./marketplaces.ts";
import { type GitSource, gitSourceText } from "./sources.ts";

/** A server that sends nothing for 30 s is given up. */
const PATIENT = ["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=30"];

/** Gets exactly what a source names, next to the place where it belongs. Throws a sentence if that is not there. */
export async function cloneBeside(io: CliIO, { source, to }: Clone) {
  const dir = join(dirname(to), `.new-${process.pid}-${basename(to)}`);
  const discard = () => rmSync(dir, { recursive: true, force: true });
  discard();
  mkdirSync(dir, { recursive: true });
  await printNotes(io, [`Cloning ${gitSourceText(source)} …`]);
  try {
    await getInto(gitIn(dir, commandEnvironment(io.env)), source);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    dir,
    discard,
    // By renames, so that no half of a clone is ever in its place.
    /** Puts it into its place, instead of what was there. */
    place() {
      const old = `${dir}.old`;
      rmSync(old, { recursive: true, force: true });
      if (existsSync(to)) renameSync(to, old);
      renameSync(dir, to);
      rmSync(old, { recursive: true, force: true });
    },
  };
}

async function getInto(git: Git, source: GitSource): Promise<void> {
  const { url, ref, sha } = source;
  const run = (args: readonly string[]) => git.run([...PATIENT, ...args]);
  if (sha === null) {
    const branch = ref === null ? [] : [`--branch=${ref}`];
    const cloned = await run(["clone", "-q", "--depth=1", ...branch, "--", url, "."]);
    if (/Remote branch .* not found/.test(cloned.err))
      throw new Error(`${printable(url)} has no branch or tag ${printable(ref ?? "")}.`);
    return assertDone(cloned, url);
  }
  assertDone(await run(["init", "-q"]), url);
  const one = await run(["fetch", "-q", "--depth=1", "--", url, sha]);
  // Some servers give out a commit only with the branch or tag that it is on.
  if (one.code !== 0) {
    const all = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];
    assertDone(await run(["fetch", "-q", "--", url, ...all]), url);
  }
  const { code } = await run(["checkout", "-q", "--detach", sha]);
  if (code !== 0) throw new Error(`${printable(url)} has no commit ${sha}.`);
}

function assertDone({ code, err }: GitAnswer, url: string): void {
  if (code === 0) return;
  const lines = err.split("\n").filter((line) => line.trim() !== "");
  const why = lines.find((line) => line.startsWith("fatal:")) ?? lines.at(0) ?? "git failed";
  throw new Error(`${printable(url)} could not be cloned: ${printable(why.replace(/^fatal: /, ""))}`);
}

/** Returns what `git rev-parse` says in a clone, or null; equal IDs of `HEAD:DIR` are equal files. */
export async function revisionOf(
  io: CliIO,
  clone: string,
  ...what: readonly string[]
): Promise<string | null> {
  if (!existsSync(clone)) return null;
  const git = gitIn(clone, commandEnvironment(io.env));
  const { code, out } = await git.run(["rev-parse", "--verify", "-q", ...what]);
  return code === 0 ? out.trim() : null;
}
