import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../src/lib/errors.ts";
import { gitIn } from "../../src/worktrees/git.ts";
import { type Files, put } from "../../test/worktrees/merge/files.ts";
import { must } from "../../test/worktrees/replay/merges-in.ts";
import type { HomeAdapter } from "./adapter.ts";
import { splitEntry } from "./entries.ts";
import type { Evidence, Verdict } from "./judge.ts";
import { type Case, play } from "./play.ts";

/** A checkout that is not clean when an agent's edits come home. */
export interface State {
  /** Committed, on `main`. */
  readonly base: Files;
  readonly config?: Readonly<Record<string, string>>;
  /** The user's changes before the agent starts. */
  before?(scene: Scene): unknown;
  /** What the agent does in its copy. */
  agent(copy: Copy): unknown;
  /** The user's changes while it works. */
  meanwhile?(scene: Scene): unknown;
  startWriting?: (scene: Scene) => ReturnType<NonNullable<Case["startWriting"]>>;
  /** What coming home changes in the checkout; null if the edits do not fit. */
  readonly merged: Files | null;
}

export interface Scene {
  readonly dir: string;
  put(files: Files): void;
  /** As the user types it. */
  git(...args: string[]): Promise<string>;
  gitAt(path: string, ...args: string[]): Promise<string>;
  /** The same where git says no: a merge that stops. */
  gitStops(...args: string[]): Promise<void>;
}

export interface Copy {
  put(files: Files): void;
  /** Changes these lines of a file as it is in the copy, or as it was committed. */
  edit(path: string, changes: Readonly<Record<number, string>>): void;
}

/** Twelve lines, with changes by their numbers from 0. */
export function lines(changes: Readonly<Record<number, string>> = {}, end = "\n"): string {
  return Array.from({ length: 12 }, (_, at) => `${changes[at] ?? `line ${at}`}${end}`).join("");
}

export async function playState(
  tool: HomeAdapter,
  place: { readonly dir: string; readonly env: Readonly<Record<string, string>> },
  name: string,
  state: State,
): Promise<Verdict> {
  const users = join(place.dir, "users");
  const dir = join(users, "checkout");
  mkdirSync(dir, { recursive: true });
  const { env } = place;
  const git = gitIn(realpathSync(dir), env);
  const scene: Scene = {
    dir: git.folder,
    put: (files) => put(git.folder, files),
    git: (...args) => must(git, args, { identity: "person" }),
    gitAt: (path, ...args) => must(git.at(join(git.folder, path)), args, { identity: "person" }),
    async gitStops(...args) {
      const { code, out } = await git.run(args, { identity: "person" });
      if (code === 0) throw new Error(`git ${args.join(" ")} did not stop: ${out}`);
    },
  };
  await scene.git("init", "-q", "-b", "main");
  for (const [key, value] of Object.entries(state.config ?? {})) await scene.git("config", key, value);
  scene.put(state.base);
  await scene.git("add", "-A");
  await scene.git("commit", "-q", "-m", "The beginning");
  await state.before?.(scene);
  const { startWriting, merged } = state;
  return play(tool, {
    ...{ name, users: realpathSync(users) },
    checkout: { dir: git.folder, git, env, spare: join(place.dir, "spare"), agent: "agent1" },
    edit: (copy) => state.agent(copyAt(copy, state.base)),
    meanwhile: () => state.meanwhile?.(scene),
    ...(startWriting === undefined ? {} : { startWriting: () => startWriting(scene) }),
    findMerged: (before, edits) => (merged === null ? null : entriesOf(merged, before, edits)),
  });
}

function copyAt(dir: string, base: Files): Copy {
  return {
    put: (files) => put(dir, files),
    edit(path, changes) {
      const all = (readIfThere(join(dir, path)) ?? String(base[path])).split(/(?<=\n)/);
      for (const [at, text] of Object.entries(changes))
        all[Number(at)] = text + (all[Number(at)]?.endsWith("\r\n") ? "\r\n" : "\n");
      // In place: the mode stays.
      writeFileSync(join(dir, path), all.join(""), "latin1");
    },
  };
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** A file keeps the user's mode. */
function entriesOf(
  merged: Files,
  before: Evidence["before"],
  edits: Evidence["edits"],
): NonNullable<Evidence["merged"]> {
  return new Map(
    Object.entries(merged).map(([name, content]) => {
      const path = `checkout/${name}`;
      if (content === null) return [path, null];
      if (typeof content !== "string" && !Buffer.isBuffer(content)) return [path, `-> ${content.link}`];
      const { mode } = splitEntry(before.get(path) ?? edits.get(path) ?? "");
      return [path, `${mode}  ${Buffer.from(content).toString("latin1")}`];
    }),
  );
}
