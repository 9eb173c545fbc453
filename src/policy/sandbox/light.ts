import { lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isDirectory, listNames } from "../../lib/on-disk.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { Rule } from "../../settings/permissions.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import { repositoriesAbout } from "../trust/git-repository.ts";
import { hide, realOrNull, type SecretPlaces, secretPaths, seenAs } from "./denied-paths.ts";
import { type BuilderOptions, findBuilder, trustedProgram, tryOut } from "./find-builder.ts";
import { findProtected } from "./find-protected.ts";
import { MadeNames } from "./made.ts";
import { findMasks, readAllowances } from "./masks.ts";
import { openings } from "./probe.ts";
import type { Prepared, SandboxReport, SandboxSettings } from "./sandbox.ts";

/** A command to confine. */
export interface LightCommand extends SandboxWorkspace {
  /** True if rules deny a path to be read, or ask about it. */
  hides(path: string): boolean;
}

/** The confinements of commands that only read, or only change unprotected files of the workspace (semantics 5.7). */
export interface LightConfinement {
  /** Tried when the first command needs it. Never rejects. */
  report(): Promise<SandboxReport>;
  /** Null if the command cannot be confined. Never rejects. */
  prepare(type: "read" | "write", command: LightCommand): Promise<Prepared | null>;
}

export interface LightOptions extends BuilderOptions {
  readonly settings: Pick<SandboxSettings, "readOnly" | "denyRead">;
}

export function lightConfinement(options: LightOptions): LightConfinement {
  const { settings, env, home, troupeHome, directories, run } = options;
  const builder = settings.readOnly
    ? findBuilder(options)
    : "The read-only confinement is switched off (troupe.sandbox.readOnly).";
  const find = trustedProgram("find", env["PATH"], directories);
  let tried: Promise<SandboxReport> | null = null;
  let ground: LightGround | null = null;

  const report = (): Promise<SandboxReport> => {
    if (typeof builder === "string") return Promise.resolve({ state: "unavailable", reason: builder });
    if (tried === null) new MadeNames(builder.state, "").sweep();
    tried ??= tryOut("write", builder, options, (found, weaker) => {
      const open = [...openings(found), ...(weaker ? ["saw the processes of this container"] : [])];
      if (open.length === 0) return { state: "enforced", reason: "" };
      return { state: "unavailable", reason: `A confined command ${open.join(", ")}.` };
    }).then((probed) => probed.report);
    return tried;
  };

  const prepare = async (type: "read" | "write", command: LightCommand): Promise<Prepared | null> => {
    if (typeof builder === "string" || (await report()).state !== "enforced") return null;
    ground ??= lightGround({ home, troupeHome, denyRead: settings.denyRead, env });
    if (ground === null) return null;
    const view = lightView(ground, command);
    const { roots, rules } = command;
    const masks = await findMasks({
      ...{ roots: [...roots, ...command.readable], rules, home, run, program: find },
      hides: (path) => command.hides(path),
    });
    if (masks === null) return null;
    const common = { builder: builder.program, state: builder.state };
    if (type === "read")
      return { confined: { ...common, type, seen: [...view, ...masks] }, env: {}, finish: async () => null };
    const real = roots.map((root) => realOf(root));
    const held = await findProtected(real, userPlaces(env, home).claudeDir, run, find);
    if (held === null) return null;
    const made = new MadeNames(builder.state, "");
    const ended = made.guard(held.absent);
    const seen = [...view, ...seenAs("write", real), ...held.seen, ...masks];
    const finish = async () => {
      const moved = ended();
      made.clear();
      return moved;
    };
    return { confined: { ...common, type, seen }, env: {}, finish };
  };

  return {
    report,
    prepare: (type, command) => prepare(type, command).catch(() => null),
  };
}

/** Part of the disk that a command works in. */
interface SandboxWorkspace {
  readonly roots: readonly string[];
  /** What else it may read. */
  readonly readable: readonly string[];
  readonly rules: readonly Rule[];
}

/** Private in every light confinement: they hold the sockets of other programs, and files of other users. */
const SCRATCH = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

/** Bytes of a file that is shown as a copy. */
const MOST_COPIED = 64 * 1024;

/** What all commands of a session share. */
interface LightGround extends SecretPlaces {
  readonly scratch: readonly string[];
  /** Git's configuration, and programs. */
  readonly shown: readonly string[];
}

/** Returns null if the home cannot be separated from the rest of the disk. */
function lightGround(given: SecretPlaces): LightGround | null {
  const home = realOf(given.home);
  if (home === "/") return null;
  const ground = { ...given, home };
  const scratch = [...new Set(SCRATCH.flatMap((path) => realOrNull(path) ?? []))];
  const programs = programDirectories(ground, [home, ...scratch]);
  return { ...ground, scratch, shown: [...gitConfiguration(ground), ...programs] };
}

/**
 * Returns what a lightly confined command sees, without the files that rules deny. Of the home it sees the workspace,
 * what Read rules allow, git's configuration, and programs.
 */
function lightView(ground: LightGround, { roots, readable, rules }: SandboxWorkspace): ConfinedView[] {
  const { home, scratch } = ground;
  const realRoots = roots.map((root) => realOf(root));
  // A workspace that holds the home shows all of it but for known credentials.
  const isWide = realRoots.some((root) => holds(root, home));
  const emptied = isWide ? scratch : [...scratch, home];
  const isGone = (path: string) => emptied.some((outer) => holds(outer, path));
  const repositories = realRoots.flatMap(repositoryOf).filter((path) => !holds(path, home));
  const allowed = readAllowances(rules, home);
  // Each costs a mount, and an empty directory has nothing to read.
  const filled = readable.filter((path) => !isDirectory(path) || listNames(path).length > 0);
  const shown = [...roots, ...repositories, ...filled, ...allowed, ...ground.shown].flatMap((path) => {
    const real = realOrNull(path);
    return real === null ? [] : [{ path, real }];
  });
  const reals = [...new Set(shown.map(({ real }) => real))];
  // Hidden parts of the home need not be hidden again.
  const secrets = secretPaths(ground).filter((path) => {
    if (!isGone(path)) return true;
    const real = realOrNull(path);
    return real !== null && reals.some((one) => holds(one, real));
  });
  const links = shown.filter(
    ({ path, real }) => path !== real && isGone(path) && !reals.some((one) => holds(one, path)),
  );
  return [
    ...seenAs("scratch", scratch),
    ...(isWide ? [] : [{ as: "empty", path: home } as const]),
    ...reals
      .filter(isGone)
      .map((path): ConfinedView => ({ as: isConfiguration(path, ground) ? "copy" : "read", path })),
    ...links.map(({ path, real }): ConfinedView => ({ as: "link", path, to: real })),
    ...hide(secrets, reals),
  ];
}

/** git reads the whole working tree, and the repository that it belongs to. */
function repositoryOf(root: string): string[] {
  return repositoriesAbout(root).flatMap(({ own, common, tree }) => [own, common, tree]);
}

/** True for git's own file in the home, if it has its usual small size. */
function isConfiguration(path: string, { home }: SecretPlaces): boolean {
  if (path !== join(home, ".gitconfig")) return false;
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= MOST_COPIED;
}

function gitConfiguration({ home, env }: SecretPlaces): string[] {
  const config = env["XDG_CONFIG_HOME"];
  const folder = config !== undefined && isAbsolute(config) ? config : join(home, ".config");
  return [join(home, ".gitconfig"), join(folder, "git")];
}

/**
 * Returns directories on PATH that would be hidden. One that is called bin, sbin or shims brings its parent, which has
 * the rest of its programs, but not the home or its .local. Rust's programs in ~/.cargo only start those in ~/.rustup.
 */
function programDirectories({ home, env }: SecretPlaces, emptied: readonly string[]): string[] {
  const isGone = (path: string) => emptied.some((outer) => holds(outer, path));
  const wide = [...emptied, join(home, ".local")];
  const onPath = new Set((env["PATH"] ?? "").split(":").filter(isAbsolute));
  return [...onPath].flatMap((path) => {
    const real = realOrNull(path);
    if (real === null || !(isGone(real) || isGone(path))) return [];
    const around = dirname(path.replace(/\/+$/, ""));
    const isPart =
      /^(?:s?bin|shims)$/.test(basename(path)) && isGone(around) && !wide.includes(realOf(around));
    const rust = basename(around) === ".cargo" ? [env["RUSTUP_HOME"] ?? join(home, ".rustup")] : [];
    return [path, ...(isPart ? [around] : []), ...rust];
  });
}
