import { sep } from "node:path";

/**
 * What turns a written file into a command that runs later: configuration of git, shells, editors, package
 * managers, and of agents themselves. Nothing is written there unless the user has switched all checks off
 * (permission-semantics 4.4).
 */
const FOLDERS: readonly (readonly string[])[] = [
  ...".git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude .troupe"
    .split(" ")
    .map((name) => [name]),
  [".config", "git"],
  // What Windows also calls `.git`.
  ["git~1"],
];

const FILES: ReadonlySet<string> = new Set(
  [
    ".gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_aliases .bash_logout .zshrc .zprofile",
    ".zshenv .zlogin .zlogout .profile .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs",
    ".pnpmfile.cjs bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml",
    "lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml gradle-wrapper.properties",
    "maven-wrapper.properties .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json .claude.json",
  ].flatMap((line) => line.split(" ")),
);

/** Agents work in there: a worktree is an ordinary checkout. */
const EXCEPT: readonly (readonly string[])[] = [
  [".claude", "worktrees"],
  [".troupe", "worktrees"],
];

/** Returns the protected name in an absolute path, as a user knows it, or null. */
export function protectedName(path: string): string | null {
  const names = path.split(sep).map(plain);
  for (const [at, name] of names.entries()) {
    const follows = (folder: readonly string[]) => folder.every((part, i) => names[at + i] === part);
    const folder = FOLDERS.find(follows);
    // `.claude/worktrees` itself is protected, only what is in it is not.
    const excepted = EXCEPT.some((exception) => follows(exception) && names.length > at + exception.length);
    if (folder && !excepted) return folder.join("/");
    if (at === names.length - 1 && FILES.has(name)) return name;
  }
  return null;
}

/** As the most forgiving file system compares names: whatever case, without what it drops from their ends and middles. */
function plain(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}

/** Patterns for the names that such a path ends in, in lower case; few, so that a search takes little. */
export function protectedNames(): string[] {
  const names = [...FOLDERS.map((folder) => folder.at(-1) ?? ""), ...FILES];
  return [".*", ...names.filter((name) => !name.startsWith("."))];
}
