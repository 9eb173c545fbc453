import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Access } from "../../../src/mailbox/calls.ts";
import { confinement } from "../../../src/policy/confinement/confinement.ts";
import { repositoryWith } from "../../support/git-repository.ts";

/** A checkout with real worktrees of agents in it, and what an actor in one of them may not do. */
export async function enclosed() {
  const files = {
    "src/a.ts": "a\n",
    "README.md": "r\n",
    ".gitignore": "node_modules\n.env\ndist\n.claude\n",
  };
  const repository = await repositoryWith(files, "repo");
  const checkout = repository.folder;
  const home = dirname(checkout);
  const path = join(checkout, ".claude", "worktrees", "agent-1");
  const other = join(checkout, ".claude", "worktrees", "agent-2");
  const beside = join(home, "beside");
  await repository.must(["worktree", "add", "-q", "-b", "worktree-agent-1", path]);
  await repository.must(["worktree", "add", "-q", "-b", "worktree-agent-2", other]);
  await repository.must(["worktree", "add", "-q", "-b", "persons", beside]);
  // What git does not know: in the checkout only, or linked into the tree.
  repository.write({ "dist/out.js": "x", ".env": "SECRET=1", "node_modules/dep/index.js": "x" });
  symlinkSync(join(checkout, "node_modules"), join(path, "node_modules"));
  symlinkSync(join(checkout, "README.md"), join(path, "out-link"));
  mkdirSync(join(path, "inner"));
  writeFileSync(join(home, "elsewhere.txt"), "x");
  const tree = { path, branch: "worktree-agent-1", checkout };
  const held = confinement(home);
  const touching = (kind: Access["kind"], target: string) =>
    held.refuses({ command: null, accesses: [{ kind, target }], cwd: path }, tree);
  return {
    ...{ repository, checkout, home, path, other, beside, tree, held },
    writing: (target: string) => touching("write", target),
    reading: (target: string) => touching("read", target),
    running: (command: string, cwd = path) => held.refuses({ command, accesses: [], cwd }, tree),
  };
}
