import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import type { Mutation } from "./mutations/mutation.ts";

/** A mutation may write or run without end: no file gets larger than 1 GB, no run takes longer than this. */
const LIMITED = 'ulimit -f 1000000; exec "$0" "$@"';
const MOST_MS = 20 * 60_000;
/** Failures that show a broken mutation or a test that waits, not a promise that does not hold. */
const NO_ASSERTION = /^(ReferenceError|SyntaxError)\b|\b(Test|Hook) timed out in \d+ ?ms/;

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.nullish(z.array(z.string())),
        }),
      ),
    }),
  ),
});

export interface TestedCase {
  /** The path of its file in the checkout. */
  readonly file: string;
  readonly title: string;
  /** `stuck`: it failed, but no assertion did. */
  readonly outcome: "passed" | "failed" | "stuck" | "skipped";
}

export interface TestRun {
  /** Those that the mutations name; empty if the tests did not load or did not come to their end. */
  readonly cases: readonly TestedCase[];
  readonly isGood: boolean;
  readonly output: string;
}

export function isTestOf({ tests, title }: Mutation, tested: TestedCase): boolean {
  return tests.includes(tested.file) && tested.title.includes(title);
}

/** Runs the tests of these mutations in the checkout at `place`. */
export async function runTests(
  place: string,
  chosen: readonly Mutation[],
  stop: AbortSignal,
): Promise<TestRun> {
  const temporary = join(place, "tmp");
  mkdirSync(temporary);
  const report = join(place, "report.json");
  const files = new Set(chosen.flatMap(({ tests }) => tests));
  const titles = [...new Set(chosen.map(({ title }) => RegExp.escape(title)))].join("|");
  // Once more, so that a test that a busy machine slows down is not taken for one that notices something.
  const once = ["run", "--bail=1", "--retry=1", "--expect.poll.timeout=20000"];
  const options = [...once, "-t", titles, "--reporter=json", `--outputFile=${report}`];
  const args = [join(place, "node_modules/vitest/vitest.mjs"), ...options, ...files];
  try {
    const { code, output } = await runLimited(place, args, { TMPDIR: temporary, NO_COLOR: "1" }, stop);
    const cases = readCases(place, report).filter((one) =>
      chosen.some((mutation) => isTestOf(mutation, one)),
    );
    return { cases, isGood: code === 0, output };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    rmSync(report, { force: true });
  }
}

function readCases(place: string, report: string): readonly TestedCase[] {
  let text: string;
  try {
    text = readFileSync(report, "utf8");
  } catch {
    return [];
  }
  return Report.parse(JSON.parse(text)).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages }) => ({
      file: relative(place, name),
      title: fullName,
      outcome: outcomeOf(status, failureMessages ?? []),
    })),
  );
}

function outcomeOf(status: string, messages: readonly string[]): TestedCase["outcome"] {
  if (status === "passed") return "passed";
  if (status !== "failed") return "skipped";
  return messages.some((message) => !NO_ASSERTION.test(message)) ? "failed" : "stuck";
}

async function runLimited(
  place: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  stop: AbortSignal,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn("bash", ["-c", LIMITED, process.execPath, ...args], {
    cwd: place,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...more },
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  const timer = setTimeout(kill, MOST_MS);
  stop.addEventListener("abort", kill, { once: true });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output.push(String(bytes)));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject);
  child.once("close", resolve);
  try {
    return { code: await promise, output: output.join("") };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", kill);
  }
}
