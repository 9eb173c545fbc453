/**
 * `npm run mutate [-- --only NAME]`: applies each mutation of scripts/mutations.ts to a copy of this checkout and runs
 * its tests there. Exits with 1 if the tests do not notice one, or if its old text is no longer in the file.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutation, mutations } from "./mutations.ts";

const root = join(import.meta.dirname, "..");
/** A mutation may write or run without end: no file gets larger than 1 GB, no run takes longer than this. */
const LIMITED = 'ulimit -f 1000000; exec "$0" "$@"';
const MOST_MS = 10 * 60_000;

/** Copies what git knows or would add, so that tests that are not committed count too. */
function copyCheckout(place: string): void {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0");
  for (const path of paths)
    if (path !== "" && path !== "node_modules" && existsSync(join(root, path)))
      cpSync(join(root, path), join(place, path));
  symlinkSync(realpathSync(join(root, "node_modules")), join(place, "node_modules"));
}

/** Resolves to the output of the failing tests, or to null if they pass. */
async function runTests(
  place: string,
  chosen: readonly Mutation[],
  stop: AbortSignal,
): Promise<string | null> {
  const temporary = join(place, "tmp");
  mkdirSync(temporary);
  const files = new Set(chosen.flatMap(({ tests }) => tests));
  const titles = chosen.map(({ title }) => RegExp.escape(title)).join("|");
  // Once more, so that a test that a busy machine slows down is not taken for one that notices something.
  const options = ["run", "--bail=1", "--retry=1", "-t", titles];
  const args = [join(place, "node_modules/vitest/vitest.mjs"), ...options, ...files];
  const child = spawn("bash", ["-c", LIMITED, process.execPath, ...args], {
    cwd: place,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: temporary, NO_COLOR: "1" },
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  const timer = setTimeout(kill, MOST_MS);
  stop.addEventListener("abort", kill, { once: true });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output.push(String(bytes)));
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  child.once("error", reject);
  child.once("close", (code) => resolve(code === 0 ? null : output.join("")));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", kill);
    rmSync(temporary, { recursive: true, force: true });
  }
}

interface Tried {
  readonly noticed: boolean;
  /** The test that failed, or why none could. */
  readonly why: string;
}

async function tryMutation(place: string, mutation: Mutation, stop: AbortSignal): Promise<Tried> {
  const { file, from, to, tests } = mutation;
  const path = join(place, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2)
    return { noticed: false, why: `its old text is not exactly once in ${file}` };
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const output = await runTests(place, [mutation], stop);
    if (output === null) return { noticed: false, why: tests.join(", ") };
    return {
      noticed: true,
      why: /^ *FAIL +(.*)$/m.exec(output)?.[1] ?? "the tests did not come to their end",
    };
  } finally {
    writeFileSync(path, text);
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: "string" } } });
  const chosen = mutations.filter(({ name }) => values.only === undefined || name === values.only);
  if (chosen.length === 0) {
    console.error(
      `No mutation is named ${values.only}. Names: ${mutations.map(({ name }) => name).join(", ")}.`,
    );
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const place = mkdtempSync(join(realpathSync(tmpdir()), "mutate-"));
  try {
    copyCheckout(place);
    const failing = await runTests(place, chosen, stop.signal);
    if (failing !== null) {
      console.error(`${failing}\nThe tests fail without any mutation, so they can show nothing.`);
      return 1;
    }
    let missed = 0;
    for (const mutation of chosen) {
      if (stop.signal.aborted) return 130;
      const { noticed, why } = await tryMutation(place, mutation, stop.signal);
      if (!noticed) missed += 1;
      console.log(`${noticed ? "noticed" : "NOT noticed"}: ${mutation.name} (${why})`);
    }
    console.log(`${chosen.length - missed} of ${chosen.length} mutations noticed`);
    return missed > 0 ? 1 : 0;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

process.exitCode = await main();
