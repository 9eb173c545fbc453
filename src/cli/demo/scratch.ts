import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, sep } from "node:path";
import { type Git, gitIn } from "../../worktrees/git.ts";

/** A checkout that nothing is lost with, in a temporary folder that holds all of the demo. */
export interface Scratch {
  readonly folder: string;
  /** A home without settings and sessions of anybody. */
  readonly home: string;
  readonly checkout: string;
  readonly git: Git;
  /** What it is made of, for a person. */
  readonly origin: string;
  remove(): Promise<void>;
}

export interface ScratchRequest {
  readonly from: string;
  /** What git is run with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the person: paths below it are shown from there. */
  readonly homedir: string;
  readonly signal: AbortSignal;
  /** Whether a clone has what the demo needs. */
  readonly fits: (git: Git) => Promise<boolean>;
  /** Of the repository that is made where there is none that fits. */
  readonly files: Readonly<Record<string, string>>;
}

/** A clone of HEAD of the repository about `from`, else a small repository of its own. Throws, with a sentence. */
export async function makeScratch(request: ScratchRequest): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "troupe-demo-")));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const home = join(folder, "home");
    await mkdir(home);
    const made = (await cloned(request, folder)) ?? (await own(request, folder));
    return { folder, home, ...made, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Made = Pick<Scratch, "checkout" | "git" | "origin">;

async function cloned(
  { from, env, homedir, signal, fits }: ScratchRequest,
  folder: string,
): Promise<Made | null> {
  const source = gitIn(from, env);
  const said = await source.run(["rev-parse", "--show-toplevel", "HEAD"], { signal });
  const [top = "", head = ""] = said.out.trim().split("\n");
  if (said.code === -1) throw new Error(`The demo needs git, which could not be started: ${said.err}`);
  if (said.code !== 0 || !/^[0-9a-f]{40,64}$/.test(head)) return null;
  const checkout = join(folder, basename(top) || "checkout");
  // Its objects are read where they are: a large history is not copied.
  await must(source, ["clone", "-q", "--shared", "--no-tags", top, checkout], signal);
  const git = gitIn(checkout, env);
  await must(git, ["remote", "remove", "origin"], signal);
  if (await fits(git))
    return { checkout, git, origin: `a scratch clone of ${fromHome(top, homedir)} at ${head.slice(0, 10)}` };
  await rm(checkout, { recursive: true, force: true });
  return null;
}

function fromHome(path: string, homedir: string): string {
  return path.startsWith(`${homedir}${sep}`) ? `~${path.slice(homedir.length)}` : path;
}

async function own({ env, signal, files }: ScratchRequest, folder: string): Promise<Made> {
  const checkout = join(folder, "demo");
  await mkdir(checkout);
  for (const [path, text] of Object.entries(files)) await writeFile(join(checkout, path), text);
  const git = gitIn(checkout, env);
  await must(git, ["init", "-q"], signal);
  await must(git, ["add", "-A"], signal);
  await must(git, ["commit", "-q", "-m", "The beginning"], signal);
  return {
    ...{ checkout, git },
    origin: "a small repository of the demo's own, as this folder is none with two text files committed",
  };
}

/** What git answers; throws where it refuses. */
export async function must(git: Git, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const { code, out, err } = await git.run(args, signal ? { signal } : {});
  if (code === 0) return out;
  const why = err.split("\n").at(-1) || `exit code ${code}`;
  throw new Error(`The demo needs git, and \`git ${args[0] ?? ""}\` did not work: ${why}`);
}
