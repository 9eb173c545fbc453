/**
 * One process takes the stale lock of a repository while another takes it, gives it back and takes it again:
 * `lock-steps.ts HOME` runs each of these at every step of the first, and prints who had the lock in the end, as JSON.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { processIdentity } from "../../src/journal/process-identity.ts";
import { withLock as lockOrThrow } from "../../src/worktrees/lock.ts";
import { answered } from "../../src/worktrees/refusal.ts";
import { groundOf } from "../support/worktree-ground.ts";

const [home = ""] = process.argv.slice(2);
const first = groundOf({ env: {} }, { self: processIdentity(process.pid) });
const second = groundOf({ env: {} }, { self: processIdentity(process.ppid) });
const dead = { pid: 2 ** 30, startedAt: "x" };

type Call = (...args: unknown[]) => Promise<unknown>;
/** Called before each step of the first process. */
let beforeStep: (() => Promise<void>) | null = null;

const module: object = fs.promises;
for (const name of ["readdir", "readlink", "symlink", "rm"]) {
  const original: Call = Reflect.get(module, name);
  Reflect.set(module, name, async (...args: unknown[]) => {
    const step = beforeStep;
    // The steps of the other process are its own.
    beforeStep = null;
    await step?.();
    beforeStep = step ?? beforeStep;
    return original(...args);
  });
}
syncBuiltinESMExports();

/** The one that comes too late goes without. */
const withLock = (...args: Parameters<typeof lockOrThrow>) => answered(() => lockOrThrow(...args));

let repositories = 0;

/** `at`: the steps before which the second takes, gives back, and takes again. */
async function run(at: readonly number[]): Promise<{ steps: number; held: string }> {
  const common = join(home, `common${++repositories}`);
  fs.mkdirSync(join(common, "troupe"), { recursive: true });
  fs.symlinkSync(JSON.stringify(dead), join(common, "troupe", "lock.1"));
  let holds = false;
  let leave = () => {};
  let left: Promise<unknown> = Promise.resolve();
  const take = async () => {
    const taken = Promise.withResolvers<void>();
    const work = Promise.withResolvers<void>();
    leave = work.resolve;
    const whole = withLock(
      common,
      second,
      () => {
        holds = true;
        taken.resolve();
        return work.promise;
      },
      { waitMs: 0 },
    );
    left = whole;
    await Promise.race([taken.promise, whole]);
  };
  const giveBack = async () => {
    holds = false;
    leave();
    await left;
  };
  const actions = [take, giveBack, take];
  let steps = 0;
  let done = 0;
  let held = "";
  beforeStep = async () => {
    steps += 1;
    for (; done < actions.length && at[done] === steps; done += 1) await actions[done]?.();
  };
  await withLock(
    common,
    first,
    async () => {
      beforeStep = null;
      held = "first ";
    },
    { waitMs: 0 },
  );
  beforeStep = null;
  held += holds ? "second" : "";
  await giveBack();
  return { steps, held: held.trim() };
}

const { steps } = await run([]);
const outcomes: string[] = [];
for (let a = 1; a <= steps; a += 1)
  for (let b = a; b <= steps; b += 1)
    for (let c = b; c <= steps; c += 1) outcomes.push((await run([a, b, c])).held);
const count = (held: string) => outcomes.filter((one) => one === held).length;
process.stdout.write(
  JSON.stringify({
    ...{ schedules: outcomes.length, first: count("first"), second: count("second") },
    both: count("first second"),
  }),
);
