import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, sep } from "node:path";
import { commandEnvironment } from "../../processes/environment.ts";
import { type Git, gitIn } from "../../worktrees/git.ts";
import type { CliIO } from "../process-io.ts";
import { planRoles, type Roles } from "./roles.ts";

/** A checkout in a temporary directory, which holds all of the demo. */
export interface Scratch {
  /** A home without the settings and sessions of any user. */
  readonly home: string;
  readonly git: Git;
  readonly roles: Roles;
  /** What it was made of, for the user. */
  readonly origin: string;
  remove(): Promise<void>;
}

/** Makes a clone of HEAD of the repository around `from`, or a small repository if that does not have two text files. */
export async function makeScratch(from: string, io: CliIO, signal: AbortSignal): Promise<Scratch> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "troupe-demo-")));
  const remove = () => rm(dir, { recursive: true, force: true, maxRetries: 3 });
  try {
    const home = join(dir, "home");
    await mkdir(home);
    const env = commandEnvironment(io.env);
    const checkout =
      (await cloneRepository(from, dir, { env, homedir: io.homedir, signal })) ??
      (await makeRepository(dir, env, signal));
    return { home, ...checkout, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Checkout = Pick<Scratch, "git" | "roles" | "origin">;

interface Cloning {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homedir: string;
  readonly signal: AbortSignal;
}

async function cloneRepository(
  from: string,
  dir: string,
  { env, homedir, signal }: Cloning,
): Promise<Checkout | null> {
  const source = gitIn(from, env);
  const found = await source.run(["rev-parse", "--show-toplevel", "HEAD"], { signal });
  const [top = "", head = ""] = found.out.trim().split("\n");
  if (found.code === -1) throw new Error(`The demo needs git, which could not be started: ${found.err}`);
  if (found.code !== 0 || !/^[0-9a-f]{40,64}$/.test(head)) return null;
  const path = join(dir, basename(top) || "checkout");
  // --shared reads the objects where they are: a large history is not copied.
  await runGit(source, ["clone", "-q", "--shared", "--no-tags", top, path], signal);
  const git = gitIn(path, env);
  await runGit(git, ["remote", "remove", "origin"], signal);
  const roles = await planRoles(git);
  if (roles === null) {
    await rm(path, { recursive: true, force: true });
    return null;
  }
  const shown = top.startsWith(`${homedir}${sep}`) ? `~${top.slice(homedir.length)}` : top;
  return { git, roles, origin: `a scratch clone of ${shown} at ${head.slice(0, 10)}` };
}

const OWN_FILES = {
  "README.md": "# A demo\n\nThree agents edit this directory side by side.\n",
  "CHANGELOG.md": "# Changes\n\n- The first commit.\n",
};

async function makeRepository(dir: string, env: Cloning["env"], signal: AbortSignal): Promise<Checkout> {
  const path = join(dir, "demo");
  await mkdir(path);
  for (const [name, text] of Object.entries(OWN_FILES)) await writeFile(join(path, name), text);
  const git = gitIn(path, env);
  await runGit(git, ["init", "-q"], signal);
  await runGit(git, ["add", "-A"], signal);
  await runGit(git, ["commit", "-q", "-m", "The first commit"], signal);
  const roles = await planRoles(git);
  if (roles === null) throw new Error(`There are no text files in ${path} for the demo to edit.`);
  return {
    ...{ git, roles },
    origin:
      "a small repository of the demo's own, because this directory has none with two committed text files",
  };
}

/** Returns what git prints. Throws if it fails. */
export async function runGit(git: Git, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const { code, out, err } = await git.run(args, signal ? { signal } : {});
  if (code === 0) return out;
  throw new Error(
    `The demo needs git, and \`git ${args[0] ?? ""}\` failed: ${err.split("\n").at(-1) || `exit code ${code}`}`,
  );
}
