/**
 * `npm run mutate [-- --core] [-- --only NAME ...]`: applies each mutation of scripts/mutations to a copy of this checkout and
 * runs its tests there. `-- --stale` only looks for mutations that no longer fit the code. Exits with 1 if no assertion notices
 * one of them, or if one is stale.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
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
import { isTestOf, runTests, type TestRun } from "./mutation-tests.ts";
import { mutations } from "./mutations/index.ts";
import type { Mutation } from "./mutations/mutation.ts";

const root = join(import.meta.dirname, "..");

/** Copies what git knows or would add, so that tests that are not committed count too. */
function copyCheckout(place: string): void {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0");
  for (const path of paths)
    if (path !== "" && path !== "node_modules" && existsSync(join(root, path)))
      cpSync(join(root, path), join(place, path));
  symlinkSync(realpathSync(join(root, "node_modules")), join(place, "node_modules"));
}

/** What makes mutations useless before anything is run, a sentence each. */
function findStale(all: readonly Mutation[]): readonly string[] {
  const names = all.map(({ name }) => name);
  return all.flatMap(({ name, file, from, to, tests }, at) => {
    const missing = [file, ...tests].filter((path) => !existsSync(join(root, path)));
    const found: string[] = [];
    if (names.indexOf(name) !== at) found.push("another mutation has the same name");
    if (tests.length === 0) found.push("it names no test");
    if (from === to) found.push("it changes nothing");
    for (const path of missing) found.push(`there is no ${path}`);
    if (!missing.includes(file) && readFileSync(join(root, file), "utf8").split(from).length !== 2)
      found.push(`its old text is not exactly once in ${file}`);
    return found.map((problem) => `${name}: ${problem}.`);
  });
}

/** What came of a mutation's tests in code that is whole. `skipped`: this machine lacks what they need. */
function wholeOutcome(mutation: Mutation, { cases }: TestRun): "passed" | "skipped" | "missing" {
  const own = cases.filter((one) => isTestOf(mutation, one));
  if (own.some(({ outcome }) => outcome === "passed")) return "passed";
  return own.length > 0 ? "skipped" : "missing";
}

interface Tried {
  readonly noticed: boolean;
  /** The test that failed, or why none did. */
  readonly why: string;
}

async function tryMutation(place: string, mutation: Mutation, stop: AbortSignal): Promise<Tried> {
  const { file, from, to } = mutation;
  const path = join(place, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    const { cases } = await runTests(place, [mutation], stop);
    const failed = cases.find(({ outcome }) => outcome === "failed");
    if (failed !== undefined) return { noticed: true, why: `${failed.file}: ${failed.title}` };
    if (cases.some(({ outcome }) => outcome === "stuck"))
      return { noticed: false, why: "its test fails without a failed assertion, as by its time limit" };
    if (cases.some(({ outcome }) => outcome === "passed"))
      return { noticed: false, why: `passes: ${mutation.tests.join(", ")}` };
    return { noticed: false, why: "its tests do not load or do not come to their end" };
  } finally {
    writeFileSync(path, text);
  }
}

function choose(core: boolean, only: readonly string[]): readonly Mutation[] {
  return mutations.filter(
    (mutation) => (!core || mutation.core === true) && (only.length === 0 || only.includes(mutation.name)),
  );
}

/** For `npm run test:rest`, whose last line counts each mutation as a test. */
function countAsTests({
  passed,
  failed,
  skipped,
}: Readonly<Record<"passed" | "failed" | "skipped", number>>): void {
  const file = process.env["TROUPE_COUNTS"];
  if (file !== undefined) appendFileSync(file, `${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}

async function tryAll(place: string, chosen: readonly Mutation[], stop: AbortSignal): Promise<number> {
  copyCheckout(place);
  const whole = await runTests(place, chosen, stop);
  if (stop.aborted) return 130;
  if (!whole.isGood) {
    const failed = whole.cases.filter(({ outcome }) => outcome === "failed" || outcome === "stuck");
    console.error(whole.output);
    for (const { file, title } of failed) console.error(`failed: ${file}: ${title}`);
    console.error("The tests fail without any mutation, so they can show nothing.");
    return 1;
  }
  const {
    passed = [],
    skipped = [],
    missing = [],
  } = Object.groupBy(chosen, (one) => wholeOutcome(one, whole));
  for (const { name, tests, title } of missing)
    console.error(`${name}: no test has its title (${tests.join(", ")}: "${title}").`);
  if (missing.length > 0) return 1;
  for (const { name, tests } of skipped)
    console.log(`NOT tried: ${name} (its test is skipped here: ${tests.join(", ")})`);
  let missed = 0;
  for (const mutation of passed) {
    const start = performance.now();
    const { noticed, why } = await tryMutation(place, mutation, stop);
    if (stop.aborted) return 130;
    if (!noticed) missed += 1;
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    console.log(`${noticed ? "noticed" : "NOT noticed"}: ${mutation.name} (${why}; ${seconds} s)`);
  }
  countAsTests({ passed: passed.length - missed, failed: missed, skipped: skipped.length });
  const rest = skipped.length > 0 ? `, ${skipped.length} not tried` : "";
  console.log(`${passed.length - missed} of ${chosen.length} mutations noticed${rest}`);
  return missed > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      core: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      stale: { type: "boolean", default: false },
    },
  });
  const stale = findStale(mutations);
  for (const sentence of stale) console.error(sentence);
  if (stale.length > 0 || values.stale) return stale.length > 0 ? 1 : 0;
  const chosen = choose(values.core, values.only);
  const names = choose(values.core, []).map(({ name }) => name);
  const unknown = values.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`No mutation is named ${unknown.join(" or ")}. Names: ${names.join(", ")}.`);
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const place = mkdtempSync(join(realpathSync(tmpdir()), "mutate-"));
  try {
    return await tryAll(place, chosen, stop.signal);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

process.exitCode = await main();
