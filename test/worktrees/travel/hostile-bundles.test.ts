// @module-tag long
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TRAVEL_REF } from "../../../src/worktrees/travel/bundle.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { importEdits } from "../operations.ts";
import { filesBelow, travelWorld } from "./travel-world.ts";

/** An object of any content, as no git command would write it. */
function objectIn(gitDir: string, type: string, content: Buffer | string): string {
  const args = ["hash-object", "-t", type, "-w", "--literally", "--stdin"];
  const env = { ...process.env, GIT_DIR: gitDir };
  return execFileSync("git", args, { input: content, env, encoding: "utf8" }).trim();
}

function entry(mode: string, name: string, id: string): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
}

test("a hostile bundle is refused with the reason, and changes nothing", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  // What a runner can do to its own clone.
  const clone = join(world.folder, "clones", `${sent.repository}.git`);
  const git = repository.git.at(clone);
  const must = async (...args: string[]) => {
    const { code, out, err } = await git.run(args);
    if (code !== 0) throw new Error(err);
    return out.trim();
  };
  const blob = objectIn(clone, "blob", "evil\n");
  const away = objectIn(clone, "blob", "/etc/passwd");
  const up = objectIn(clone, "blob", "../../outside");
  const commitOf = (...entries: Buffer[]) =>
    must("commit-tree", objectIn(clone, "tree", Buffer.concat(entries)), "-p", sent.commit, "-m", "x");
  const nested = objectIn(clone, "tree", entry("100644", "config", blob));
  let number = 0;
  async function bundleOf(commit: string, ref = TRAVEL_REF, ...without: string[]): Promise<string> {
    number += 1;
    const file = join(world.blobs, `hostile-${number}`);
    await must("update-ref", ref, commit);
    await must("bundle", "create", "-q", file, ref, ...without);
    return file;
  }
  const since = `^${sent.commit}`;
  const honest = await commitOf(entry("100644", "b.txt", blob));
  const elsewhere = await must("commit-tree", `${sent.commit}^{tree}`, "-m", "Another history");
  const after = await must("commit-tree", `${honest}^{tree}`, "-p", elsewhere, "-m", "x");
  const whole = await bundleOf(honest, TRAVEL_REF, since);
  const variant = (name: string, change: (file: string) => void) => {
    const file = join(world.blobs, name);
    writeFileSync(file, readFileSync(whole));
    change(file);
    return file;
  };
  const link = join(world.blobs, "link");
  symlinkSync(whole, link);
  const odd: [string, Buffer][] = [
    ["hasDotdot", entry("40000", "..", nested)],
    ["hasDotgit", entry("40000", ".git", nested)],
    ["hasDotgit", entry("40000", ".GIT", nested)],
    ["fullPathname", entry("100644", "x/../../y", blob)],
    ["symbolic link out of the worktree", entry("120000", "link", away)],
    ["symbolic link out of the worktree", entry("120000", "link", up)],
    ["another repository", entry("160000", "module", sent.commit)],
  ];
  const cases: { why: string; bundle: string; commit: string }[] = [];
  for (const [why, tree] of odd) {
    const commit = await commitOf(tree);
    cases.push({ why, commit, bundle: await bundleOf(commit, TRAVEL_REF, since) });
  }
  const others = [
    { why: "builds on commits", commit: after, bundle: await bundleOf(after, TRAVEL_REF, `^${elsewhere}`) },
    { why: "and nothing else", commit: honest, bundle: await bundleOf(honest, "refs/heads/main", since) },
    { why: "must have the commit", commit: sent.commit, bundle: whole },
    { why: "not the ID of a commit", commit: "--all", bundle: whole },
    { why: "was not taken", commit: honest, bundle: variant("cut", (file) => truncateSync(file, 200)) },
    { why: "not a git bundle", commit: honest, bundle: variant("text", (file) => writeFileSync(file, "x")) },
    { why: "cannot be read", commit: honest, bundle: link },
    { why: "cannot be read", commit: honest, bundle: join(world.blobs, "missing") },
    { why: "not a git bundle", commit: honest, bundle: world.blobs },
    {
      why: "has 104857600 bytes",
      commit: honest,
      bundle: variant("large", (file) => truncateSync(file, 100 * 1024 * 1024)),
    },
  ];
  const state = async () => ({
    files: filesBelow(tree.path),
    refs: await repository.must(["for-each-ref"]),
    objects: await repository.must(["count-objects", "-v"]),
  });
  const before = await state();
  for (const { why, bundle, commit } of [...cases, ...others]) {
    const answer = await importEdits({ tree, bundle, commit }, world.ground);
    expect(answer, why).toMatchObject({ type: "refused", reason: expect.stringMatching(new RegExp(why)) });
  }
  expect(await state()).toEqual(before);
  const edits = { tree, bundle: whole, commit: honest };
  const first = await importEdits(edits, world.ground);
  expect(first).toMatchObject({ type: "imported", changed: [{ path: "a.txt" }, { path: "b.txt" }] });
  const taken = await state();
  expect(await importEdits(edits, world.ground)).toEqual({ ...first, changed: [] });
  expect(await state()).toEqual(taken);
});

test("files that would replace what git ignores here are refused, and the worktree stays", async () => {
  const repository = await repositoryWith({ ".gitignore": "out\n", "a.txt": "1\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  writeFileSync(join(tree.path, "out"), "of the user\n");
  writeFileSync(join(world.remote("one"), ".gitignore"), "");
  writeFileSync(join(world.remote("one"), "a.txt"), "2\n");
  mkdirSync(join(world.remote("one"), "out"));
  writeFileSync(join(world.remote("one"), "out", "x"), "x\n");
  const before = filesBelow(tree.path);
  await expect(world.bringBack(tree, sent.commit)).rejects.toThrow(/out.x is there already/);
  expect(filesBelow(tree.path)).toEqual(before);
});

test("edits of more files than become objects of their own arrive as one pack", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  for (let at = 0; at < 600; at += 1) writeFileSync(join(world.remote("one"), `f${at}`), `${at}\n`);
  await world.bringBack(tree, sent.commit);
  expect(filesBelow(tree.path)).toEqual(filesBelow(world.remote("one")));
  expect(readFileSync(join(tree.path, "f599"), "utf8")).toBe("599\n");
  expect(await repository.must(["count-objects", "-v"])).toMatch(/^packs: 1$/m);
});
