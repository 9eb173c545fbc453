import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Worktree } from "../../../src/mailbox/worktree.ts";
import type { GitRequest, SuccessOf, TravelRemote } from "../../../src/worktrees/protocol.ts";
import { RunnerRepositories } from "../../../src/worktrees/runner/repositories.ts";
import type { TestRepository } from "../../support/git-repository.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { creationIn, groundOf } from "../../support/worktree-ground.ts";
import { createTree, exportTree, importEdits } from "../operations.ts";

/** A supervisor's checkout and a runner, on one disk; `via`: what both have as their remote. */
export function travelWorld(repository: TestRepository, via?: TravelRemote) {
  const folder = realpathSync(temporaryFolder());
  const ground = groundOf(repository);
  const runner = new RunnerRepositories(join(folder, "clones"), ground);
  const blobs = join(folder, "blobs");
  const { signal } = new AbortController();
  mkdirSync(blobs);
  const remote = (name: string) => join(folder, "trees", "session1", name);

  async function create(name = "one"): Promise<Worktree> {
    const made = await createTree(creationIn(repository.folder, { name, travels: true }), ground);
    if (made.type !== "created") throw new Error(made.reason);
    return made.tree;
  }
  async function sendOut(
    source: GitRequest<"exportTree">["source"],
    name = "one",
  ): Promise<SuccessOf<"exportTree"> & { readonly lease: string }> {
    const repositories = await exportTree({ source, have: [], into: blobs }, ground);
    if (repositories.type !== "exported") throw new Error(repositories.reason);
    const have = await runner.have(repositories.repository);
    const shared = via === undefined ? {} : { remote: via };
    const sent = await exportTree({ source, have, into: blobs, ...shared }, ground);
    if (sent.type !== "exported") throw new Error(sent.reason);
    const { repository: id, commit, bundle, isPushed } = sent;
    if (isPushed && via) await runner.fetch(id, { commit, remote: via, signal });
    if (bundle !== null) await runner.receive(id, { commit, bundle });
    const lease = await runner.trees.add({ repository: id, commit, path: remote(name) });
    onTestFinished(() => runner.trees.remove(remote(name), lease));
    return { ...sent, lease };
  }
  return {
    ...{ folder, ground, runner, blobs, remote, create, sendOut },
    /** What has changed since `base`, taken into the worktree. */
    async bringBack(tree: Worktree, base: string) {
      const edits = await runner.trees.exportSince(remote(tree.name), {
        base,
        into: blobs,
        remote: via,
        signal,
      });
      if (edits === null) return null;
      const { bundle, commit } = edits;
      const from = bundle === null && via !== undefined ? { remote: via } : { bundle: bundle ?? "" };
      const taken = await importEdits({ tree, commit, ...from }, ground);
      if (taken.type !== "imported") throw new Error(taken.reason);
      return { ...edits, ...taken };
    },
  };
}

/** Every file below a directory, without git's and Troupe's own: mode, and content or target. */
export function filesBelow(top: string): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (folder: string, under: string) => {
    for (const { name } of readdirSync(folder, { withFileTypes: true })) {
      const path = `${under}${name}`;
      if (path === ".git" || path === ".claude") continue;
      const file = join(folder, name);
      const stat = lstatSync(file);
      if (stat.isDirectory()) look(file, `${path}/`);
      else if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(file)}`;
      else found[path] = `${stat.mode & 0o100 ? "x" : "-"} ${readFileSync(file).toString("latin1")}`;
    }
  };
  look(top, "");
  return found;
}
