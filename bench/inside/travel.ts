import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, processIdentity } from "../../src/journal/process-identity.ts";
import { randomIds } from "../../src/mailbox/ids.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { realDisk } from "../../src/worktrees/merge/disk.ts";
import { operations } from "../../src/worktrees/operations.ts";
import { RunnerRepositories } from "../../src/worktrees/runner/repositories.ts";
import { removeAll } from "../../test/support/remove-all.ts";
import { answer, given } from "../own-process.ts";

export interface TravelRun {
  readonly files: number;
  /** Milliseconds of one each. */
  readonly out: readonly number[];
  readonly back: readonly number[];
  /** Of the bundle with an edit. */
  readonly bytes: number;
}

const FILES = 810;
const rounds = given<number>();
const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
try {
  await answer(await measured());
} finally {
  removeAll(folder);
}

async function measured(): Promise<TravelRun> {
  const checkout = join(folder, "checkout");
  const blobs = join(folder, "blobs");
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: checkout, env });
  mkdirSync(blobs);
  for (let at = 0; at < FILES; at += 1) {
    const dir = join(checkout, `src/part-${at % 30}`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `file-${at}.ts`), `export const value${at} = ${Math.sin(at)};\n`.repeat(60));
  }
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("-c", "user.name=Bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "All");
  const ids = randomIds();
  const ground: GitEnvironment = {
    ...{ env, now: () => Date.now(), id: () => ids.session() },
    ...{ self: processIdentity(process.pid), isAlive, disk: realDisk },
  };
  const runner = new RunnerRepositories(join(folder, "clones"), ground);
  const owner = { session: "bench", actor: "1", process: ground.self };
  const out: number[] = [];
  const back: number[] = [];
  let bytes = 0;
  for (let round = -1; round < rounds; round += 1) {
    const name = `agent${round + 1}`;
    const created = await operations.create(
      { folder: checkout, name, owner, baseRef: "checkout", dependencies: [], travels: true },
      ground,
    );
    if (created.type !== "created") throw new Error("No worktree was made.");
    const source = { type: "tree", tree: created.tree } as const;
    const path = join(folder, "trees", name);
    const outAt = performance.now();
    const sent = await operations.exportTree({ source, have: await runner.newest(), into: blobs }, ground);
    if (sent.type !== "exported") throw new Error("It cannot be exported.");
    if (sent.bundle !== null)
      await runner.receive(sent.repository, { commit: sent.commit, bundle: sent.bundle });
    const lease = await runner.trees.add({ repository: sent.repository, commit: sent.commit, path });
    const outMs = performance.now() - outAt;
    writeFileSync(join(path, "src/part-0/file-0.ts"), `export const value = ${round};\n`);
    const backAt = performance.now();
    const edits = await runner.trees.exportSince(path, { base: sent.commit, into: blobs });
    if (edits === null || edits.bundle === null) throw new Error("The edit was not noticed.");
    const taken = await operations.importEdits(
      { tree: created.tree, bundle: edits.bundle, commit: edits.commit },
      ground,
    );
    if (taken.type !== "imported") throw new Error("It cannot be imported.");
    const backMs = performance.now() - backAt;
    bytes = statSync(edits.bundle).size;
    await runner.trees.remove(path, lease);
    if (round < 0) continue;
    out.push(outMs);
    back.push(backMs);
  }
  return { files: FILES, out, back, bytes };
}
