import { basename, dirname, isAbsolute, join } from "node:path";
import type { Seen } from "../../mailbox/confined.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import type { Rule } from "../rules.ts";
import { repositoriesAbout } from "../trust/git-repository.ts";
import { readAllowances } from "./rule-paths.ts";
import { hide, realOrNull, type SecretPlaces, secretPaths } from "./secrets.ts";

export interface ViewGround extends SecretPlaces {
  /** What commands get of the user's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Part of the disk that a command works in. */
export interface Workspace {
  readonly roots: readonly string[];
  /** What it may read besides. */
  readonly readable: readonly string[];
  readonly rules: readonly Rule[];
}

/** Private in every light confinement: here lie the sockets of other programs, and files of other users. */
const SCRATCH = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

/**
 * Returns what a lightly confined command sees, without the files that rules deny; null if the home cannot be told from
 * the rest. Of the home it sees the workspace, what Read rules allow, git's configuration, and programs.
 */
export function lightView(ground: ViewGround, { roots, readable, rules }: Workspace): Seen[] | null {
  const home = realOf(ground.home);
  if (home === "/") return null;
  const scratch = SCRATCH.filter((path) => path !== "/dev/shm").flatMap((path) => realOrNull(path) ?? []);
  // A workspace that holds the home shows all of it but for known credentials.
  const isWide = roots.some((root) => holds(realOf(root), home));
  const emptied = [...new Set(scratch), ...(isWide ? [] : [home])];
  const isGone = (path: string) => emptied.some((outer) => holds(outer, path));
  const wanted = [
    ...roots,
    ...roots.flatMap(repositoryOf).filter((path) => !holds(realOf(path), home)),
    ...readable,
    ...readAllowances(rules, ground.home),
    ...gitConfiguration(ground),
    ...programDirectories(ground, isGone),
  ];
  const shown = wanted.flatMap((path) => {
    const real = realOrNull(path);
    return real === null ? [] : [{ path, real }];
  });
  const reals = [...new Set(shown.map(({ real }) => real))];
  // What is not shown of the home need not be hidden in it.
  const secrets = secretPaths(ground).filter(
    (path) => !isGone(path) || reals.some((real) => holds(real, realOf(path))),
  );
  return [
    ...[...new Set(scratch)].map((path): Seen => ({ as: "scratch", path })),
    ...(isWide ? [] : [{ as: "empty", path: home } as const]),
    ...reals.filter(isGone).map((path): Seen => ({ as: "read", path })),
    ...shown.flatMap(({ path, real }): Seen[] =>
      path !== real && isGone(path) && !reals.some((one) => holds(one, path))
        ? [{ as: "link", path, to: real }]
        : [],
    ),
    ...hide(secrets, reals),
  ];
}

/** git looks at all of the working tree, and at the repository that it belongs to. */
function repositoryOf(root: string): string[] {
  return repositoriesAbout(root).flatMap(({ own, common, tree }) => [own, common, tree]);
}

function gitConfiguration({ home, env }: ViewGround): string[] {
  const config = env["XDG_CONFIG_HOME"];
  const folder = config !== undefined && isAbsolute(config) ? config : join(home, ".config");
  return [join(home, ".gitconfig"), join(folder, "git")];
}

/**
 * Directories on PATH that would not be seen. One that is called bin, sbin or shims brings what it lies in, which has
 * the rest of its programs, but not the home or its .local. Rust's programs in ~/.cargo only start those in ~/.rustup.
 */
function programDirectories({ home, env }: ViewGround, isGone: (path: string) => boolean): string[] {
  const directories = (env["PATH"] ?? "")
    .split(":")
    .filter(isAbsolute)
    .filter((path) => isGone(realOf(path)) || isGone(path));
  const wide = [home, join(home, ".local")].map((path) => realOf(path));
  return [...new Set(directories)].flatMap((path) => {
    const around = dirname(path.replace(/\/+$/, ""));
    const isPart = /^(?:s?bin|shims)$/.test(basename(path));
    const isWide =
      wide.includes(realOf(around)) || !isGone(realOf(around)) || SCRATCH.includes(realOf(around));
    const rust = basename(around) === ".cargo" ? [env["RUSTUP_HOME"] ?? join(home, ".rustup")] : [];
    return [path, ...(isPart && !isWide ? [around] : []), ...rust];
  });
}
