import { lstatSync } from "node:fs";
import type { Run } from "./probe.ts";

/** What to look for below some directories. */
interface ConfinedSearch {
  readonly roots: readonly string[];
  /** Tests of find with their values, one of which must match. */
  readonly tests: readonly (readonly [test: string, value: string])[];
  /** A test for what to skip with everything below it. */
  readonly except?: readonly string[];
  readonly run: Run;
  /** `find`. */
  readonly program: string;
}

interface Found {
  readonly paths: readonly string[];
  /** Directories that could not be read. */
  readonly closed: readonly string[];
}

const SEARCH_MS = 3_000;

/** The longest path that the system accepts in one call. */
const PATH_BYTES = process.platform === "darwin" ? 1_024 : 4_096;

/** Finds names without following links, parents first; returns null if it may have missed some. */
export async function findNames(search: ConfinedSearch): Promise<Found | null> {
  const { roots, tests, except = [], run, program } = search;
  if (tests.length === 0 || roots.length === 0) return { paths: [], closed: [] };
  const passed = except.length === 0 ? [] : ["(", ...except, ")", "-prune", "-o"];
  const any = tests.flatMap((test) => ["-o", ...test]).slice(1);
  const args = ["-P", ...roots, ...passed, "(", ...any, ")", "-print0"];
  const ended = await run(
    { file: program, args },
    { cwd: "/", env: { LC_ALL: "C" }, timeoutMs: SEARCH_MS, maxOutputBytes: 1_000_000 },
  );
  const closed = ended.stderr.split("\n").filter(Boolean).map(closedDirectory);
  if (ended.exitCode === null || ended.truncated || closed.includes(null)) return null;
  if (ended.exitCode !== 0 && closed.length === 0) return null;
  const paths = ended.stdout.split("\0").filter(Boolean);
  // A program reaches it step by step, but nothing can be mounted there.
  if (paths.some((path) => Buffer.byteLength(path) >= PATH_BYTES)) return null;
  return {
    paths,
    closed: closed.filter((path) => path !== null),
  };
}

/** Returns the directory of an error of find; null for any other error. */
function closedDirectory(line: string): string | null {
  const path = /^find: ['"`‘]?(\/.*?)['"’]?: Permission denied$/.exec(line)?.[1];
  return path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : null;
}
