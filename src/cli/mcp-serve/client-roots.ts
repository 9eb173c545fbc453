import { stat } from "node:fs/promises";
import { errorMessage } from "../../lib/errors.ts";
import { isPathInside, pathOf } from "../../lib/paths.ts";
import type { SupervisorOptions } from "../../session/options.ts";
import { visibleLine } from "../../terminal/safe-text.ts";
import { quoted } from "../exit-codes.ts";
import type { McpConnection } from "./mcp-server.ts";

/** Of one client; it may list more. */
const MAX_ROOTS = 20;

export interface RootsContext {
  /** The session's directories. */
  readonly dirs: readonly string[];
  readonly homedir: string;
  note(line: string): void;
}

interface RootsParts {
  readonly setup: { readonly options: Pick<SupervisorOptions, "cwd" | "additionalDirs"> };
  readonly homedir: string;
  note(line: string): void;
}

/** Reads a client's roots, now and each time it says that they have changed. What it does not list is no longer added. */
export async function followRoots(
  connection: Pick<McpConnection, "roots" | "onRootsChanged">,
  { setup, homedir, note }: RootsParts,
) {
  const { additionalDirs: given = [], cwd } = setup.options;
  let listener: (dirs: readonly string[]) => void = () => {};
  const read = async (): Promise<readonly string[]> => {
    const uris = await connection.roots().catch((error: unknown) => {
      note(`The client has roots, but did not list them: ${visibleLine(errorMessage(error)).slice(0, 200)}`);
      return [];
    });
    return [...given, ...(await rootDirs(uris, { dirs: [cwd, ...given], homedir, note }))];
  };
  // One after the other: the last list that was asked for counts.
  let last = read();
  connection.onRootsChanged(() => {
    last = last.then(async (before) => {
      const now = await read();
      listener(now);
      for (const line of formatChange(before, now)) note(line);
      return now;
    });
  });
  const dirs = await last;
  return {
    /** Those that were added by flags and settings, then the roots. */
    dirs,
    /** Calls back with the directories after each change, and immediately if there was one since. */
    follow(next: (dirs: readonly string[]) => void) {
      listener = next;
      void last.then((now) => now === dirs || next(now));
    },
  };
}

function formatChange(before: readonly string[], now: readonly string[]): string[] {
  const rest = (dirs: readonly string[], others: readonly string[]) =>
    dirs.filter((dir) => !others.includes(dir));
  const [added, removed] = [rest(now, before), rest(before, now)].map((dirs) =>
    dirs.map(visibleLine).join(", "),
  );
  return [
    ...(added ? [`The client opened ${added}: agents may use it from their next call on.`] : []),
    ...(removed ? [`The client closed ${removed}: agents may not use it any longer.`] : []),
  ];
}

/** Returns the directories that a client's roots add, as `--add-dir` would. One that is not added is named in a note. */
export async function rootDirs(uris: readonly string[], context: RootsContext): Promise<readonly string[]> {
  const { dirs, homedir, note } = context;
  const added: string[] = [];
  if (uris.length > MAX_ROOTS)
    note(`The client has ${uris.length} roots; only the first ${MAX_ROOTS} are added.`);
  for (const uri of uris.slice(0, MAX_ROOTS)) {
    const path = pathOf(uri);
    if (path !== null && [...dirs, ...added].some((dir) => isPathInside(path, dir))) continue;
    const problem = await whyNotAdded(path, homedir);
    if (problem === null && path !== null) added.push(path);
    else note(`The client's root ${quoted(visibleLine(uri).slice(0, 200))} is not added: ${problem}.`);
  }
  return added;
}

async function whyNotAdded(path: string | null, homedir: string): Promise<string | null> {
  if (path === null) return "it is not a path of this machine";
  const isDir = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDir) return "there is no such directory";
  // A client that has no project open names the whole disk or the whole home.
  return isPathInside(homedir, path) ? "your home directory is in it; --add-dir adds it all the same" : null;
}
