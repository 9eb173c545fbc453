import { type Disk, realDisk } from "../../../src/worktrees/merge/disk.ts";

/** The process is gone: nothing after it has an effect. */
export class Died extends Error {}

/** Dies instead of its step number `at`, from 0; whoever goes on after that finds that nothing happens. */
export function dyingDisk(at: number, die: () => never = throwDied): { disk: Disk; steps(): number } {
  let steps = 0;
  const stepping =
    <A extends unknown[], R>(act: (...args: A) => R) =>
    (...args: A): R => {
      if (steps >= at) die();
      steps += 1;
      return act(...args);
    };
  const disk: Disk = {
    rename: stepping(realDisk.rename),
    place: stepping(realDisk.place),
    unlink: stepping(realDisk.unlink),
    mkdir: stepping(realDisk.mkdir),
    rmdir: stepping(realDisk.rmdir),
    append: stepping(realDisk.append),
    write: stepping(realDisk.write),
    drop: stepping(realDisk.drop),
    sync: realDisk.sync,
  };
  return { disk, steps: () => steps };
}

function throwDied(): never {
  throw new Died("died");
}
