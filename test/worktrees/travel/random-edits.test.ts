// @module-tag long
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../support/git-repository.ts";
import { filesBelow, travelWorld } from "./travel-world.ts";

/** Numbers below `most`, the same for the same seed. */
function random(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
}

const NAMES = ["a", "b.txt", "c/d", "c/e/f", "ü", "g h", "-x", "c", "c/e"];

function editSomehow(top: string, next: (most: number) => number): void {
  const name = () => NAMES[next(NAMES.length)] ?? "a";
  const path = join(top, name());
  const parent = dirname(path);
  const clear = (file: string) => rmSync(file, { recursive: true, force: true });
  // A file may be where a directory is wanted.
  const makeParent = () => {
    try {
      mkdirSync(parent, { recursive: true });
    } catch {
      clear(join(top, "c"));
      mkdirSync(parent, { recursive: true });
    }
  };
  switch (next(6)) {
    case 0:
      clear(path);
      break;
    case 1: {
      const from = join(top, name());
      if (path.startsWith(`${from}/`) || from.startsWith(`${path}/`) || path === from) break;
      makeParent();
      clear(path);
      try {
        renameSync(from, path);
      } catch {
        // There is nothing to rename.
      }
      break;
    }
    case 2:
      makeParent();
      clear(path);
      symlinkSync(`x${next(3)}`, path);
      break;
    default: {
      makeParent();
      clear(path);
      writeFileSync(path, Buffer.from(Array.from({ length: next(40) }, () => next(256))));
      chmodSync(path, next(2) === 0 ? 0o644 : 0o755);
    }
  }
}

test.for([1, 2, 3])("any edits on a runner are the same files here (seed %d)", async (seed) => {
  const next = random(seed);
  const repository = await repositoryWith({ a: "a\n", "c/d": "d\n", "c/e/f": "f\n", "g h": "\r\n" });
  for (let edit = 0; edit < 5; edit += 1) editSomehow(repository.folder, next);
  const world = travelWorld(repository);
  const tree = await world.create();
  let { commit } = await world.sendOut({ type: "tree", tree });
  expect(filesBelow(world.remote("one"))).toEqual(filesBelow(repository.folder));
  for (let turn = 0; turn < 6; turn += 1) {
    for (let edit = 0; edit < 4; edit += 1) editSomehow(world.remote("one"), next);
    commit = (await world.bringBack(tree, commit))?.commit ?? commit;
    expect(filesBelow(tree.path), `turn ${turn}`).toEqual(filesBelow(world.remote("one")));
  }
});
