import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { checkProblem, whyNoSchema } from "../../context/agents/check-problem.ts";
import { Accept } from "../../mailbox/acceptance.ts";
import type { ActorSpec, JsonSchema } from "../../mailbox/messages.ts";
import type { Isolation } from "../../mailbox/worktree.ts";
import { holds } from "../../policy/engine/path-candidates.ts";

/** Of larger files, size and time are compared. */
const MOST_BYTES = 4_000_000;
/** Of the files that are named in one sentence. */
const MOST_NAMED = 5;

type Place = Pick<ActorSpec, "root" | "additionalDirs" | "isolation">;

/** What a spec says of the work: `accept`, and the stated files as they were. */
export type Stated = Pick<ActorSpec, "accept" | "filesBefore">;

/**
 * Looks at the stated files before the agent starts, so that a file that it has not touched is none that it has made.
 * Throws a sentence if this states nothing. `answer`: the schema that the agent is given.
 */
export function recordAccept(
  given: Accept | undefined,
  place: Place,
  answer: JsonSchema | undefined,
): Stated {
  if (given === undefined) return {};
  const accept = readStated(given, answer);
  const { files = [] } = accept;
  if (files.length === 0) return { accept };
  const before = files.map((file) => {
    const at = placeOf(file, place);
    return [file, at === null ? "" : lookAt(inCheckout(at, place.isolation))];
  });
  return { accept, filesBefore: Object.fromEntries(before) };
}

/** A library user's need not have the type that it should have. */
function readStated(given: unknown, answer: JsonSchema | undefined): Accept {
  const read = Accept.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = (issue?.path ?? []).map((part) => `.${String(part)}`).join("");
    throw new Error(`accept${path}: ${issue?.message}.`);
  }
  const { schema } = read.data;
  const problem = checkProblem(read.data) ?? (schema === undefined ? null : whyNoSchema(schema));
  if (problem !== null) throw new Error(problem);
  // Only one of them is given to the agent, and checked.
  if (schema !== undefined && JSON.stringify(schema) !== JSON.stringify(answer))
    throw new Error(
      "accept.schema and the schema of its answer are two different ones: leave out one of them.",
    );
  return read.data;
}

/** Returns what is wrong with the stated files as a sentence, or null. */
export function faultOfFiles({ accept, filesBefore = {}, ...place }: Place & Stated): string | null {
  const { files = [] } = accept ?? {};
  const seen = files.map((file) => ({ file, at: placeOf(file, place) }));
  const outside = named(
    seen.filter(({ at }) => at === null),
    "is outside of where it works",
    "are outside of where it works",
  );
  if (outside !== null) return outside;
  const now = seen.map(({ file, at }) => ({ file, now: at === null ? "" : lookAt(at) }));
  return (
    named(
      now.filter((one) => one.now === ""),
      "does not exist",
      "do not exist",
    ) ??
    named(
      now.filter((one) => one.now === filesBefore[one.file] && one.now !== FOLDER),
      "is as it was before it started",
      "are as they were before it started",
    )
  );
}

function named(files: readonly { readonly file: string }[], one: string, several: string): string | null {
  if (files.length === 0) return null;
  const names = files.slice(0, MOST_NAMED).map(({ file }) => file);
  const more = files.length > MOST_NAMED ? [`${files.length - MOST_NAMED} more`] : [];
  return `${[...names, ...more].join(", ")} ${files.length === 1 ? one : several}.`;
}

/** Returns where a stated file is, or null if that is outside of where the agent works. */
function placeOf(file: string, { root, additionalDirs, isolation }: Place): string | null {
  const given = resolve(root, file);
  // A path of the checkout is meant in its own worktree.
  const at =
    isolation && isAbsolute(file) && holds(isolation.checkout, given) && !holds(isolation.path, given)
      ? join(isolation.path, relative(isolation.checkout, given))
      : given;
  return [isolation?.path ?? root, ...additionalDirs].some((folder) => holds(folder, at)) ? at : null;
}

/** The worktree is not there yet. */
function inCheckout(path: string, isolation: Isolation | undefined): string {
  return isolation && holds(isolation.path, path)
    ? join(isolation.checkout, relative(isolation.path, path))
    : path;
}

const FOLDER = "directory";

/** A digest of what is there; empty if nothing is. */
function lookAt(path: string): string {
  try {
    const found = statSync(path);
    if (!found.isFile()) return FOLDER;
    if (found.size > MOST_BYTES) return `${found.size} ${found.mtimeMs}`;
    return hash("sha256", readFileSync(path)).slice(0, 16);
  } catch {
    return "";
  }
}
