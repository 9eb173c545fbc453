import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../lib/json.ts";

/** The worktree of an agent on a runner: its root there, and its root on the session's machine. */
export interface Roots {
  readonly runner: string;
  readonly session: string;
}

/** What can continue the name of a file or directory: `agent-1` is not the start of `agent-12`. */
const CONTINUES_NAME = /[\p{L}\p{N}\p{M}_.~+@%#-]/u;
/** What ends a path within a text such as a command. */
const ENDS_PATH = "\\s\"'`<>|;&():,=";
/** Longer paths do not exist on the systems that have runners. */
const MAX_PATH = 4_096;

/**
 * Returns the text with every path at or below `from` moved to `to`, also if it is spelled in another way, as with
 * `//` or `..`: a hook that compares paths would otherwise take it for a file outside.
 */
export function movePaths(text: string, from: string, to: string): string {
  const names = from.split("/").filter((name) => name !== "");
  if (!text.includes(names.at(-1) ?? "")) return text;
  const moveStart = (path: string) => {
    const end = findEnd(path, names);
    return end === null ? path : `${/^\/+(?=\/)/.exec(path)?.[0] ?? ""}${to}${path.slice(end)}`;
  };
  const root = from.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  // The root itself may have blanks.
  const path = new RegExp(`(?:/*${root}|/)[^${ENDS_PATH}]{0,${MAX_PATH}}`, "g");
  const moveAll = (part: string) => part.replace(path, moveStart);
  // Most inputs with a path have a text that is one, with any characters.
  const line = /^\/[^\n]*/.exec(text)?.[0].slice(0, MAX_PATH) ?? "";
  const end = findEnd(line, names);
  if (end === null) return moveAll(text);
  const rest = text.slice(end);
  const own = new RegExp(`^[^${ENDS_PATH}]*`).exec(rest)?.[0] ?? "";
  return `${moveStart(text.slice(0, end))}${own}${moveAll(rest.slice(own.length))}`;
}

/** Returns where the longest start of a path ends that is this directory, or null. */
function findEnd(path: string, names: readonly string[]): number | null {
  let [depth, same, at] = [0, 0, 0];
  let end: number | null = null;
  for (const name of path.split("/")) {
    const start = at;
    at += name.length + 1;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      depth = Math.max(0, depth - 1);
      same = Math.min(same, depth);
      continue;
    }
    const wanted = names[depth];
    if (same === depth && wanted !== undefined) {
      const isLast = depth === names.length - 1;
      if (isLast && startsWithName(name, wanted)) end = start + wanted.length;
      if (name === wanted) same += 1;
    }
    depth += 1;
  }
  return end;
}

function startsWithName(text: string, name: string): boolean {
  const [next = ""] = text.startsWith(name) ? text.slice(name.length) : "x";
  return !CONTINUES_NAME.test(next);
}

/** Returns a value with the paths on the runner in all its texts as paths on the session's machine. */
export function toSession(value: unknown, roots: Roots): unknown {
  return mapTexts(value, (text) => movePaths(text, roots.runner, roots.session));
}

/** The reverse, for what the agent reads. */
export function toRunner(text: string, { session, runner }: Roots): string {
  return movePaths(text, session, runner);
}

/**
 * Returns the input that a hook printed, with its paths on the session's machine as those on the runner. `input`: what
 * the call had; what the hook left as it was shown is as it was.
 */
export function restoreInput(
  printed: Readonly<Record<string, unknown>>,
  input: unknown,
  roots: Roots,
): Record<string, unknown> {
  const before = isObject(input) ? input : {};
  return mapEntries(printed, (one, key) =>
    restoreValue(one, Object.hasOwn(before, key) ? before[key] : undefined, roots),
  );
}

function restoreValue(printed: unknown, before: unknown, roots: Roots): unknown {
  if (isDeepStrictEqual(printed, toSession(before, roots))) return before;
  if (isObject(printed)) return restoreInput(printed, before, roots);
  if (Array.isArray(printed) && Array.isArray(before))
    return printed.map((one, at) => restoreValue(one, before[at], roots));
  return mapTexts(printed, (text) => toRunner(text, roots));
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  return isObject(value) ? mapEntries(value, (one) => mapTexts(one, change)) : value;
}

function mapEntries(
  value: Readonly<Record<string, unknown>>,
  change: (one: unknown, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one, key)]));
}
