import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Ground, type Group, layGround } from "../independent/ground.ts";

/** A group of the corpus; `tier` says under which tiers its cases hold (default: plain). */
export interface AttackGroup extends Omit<Group, "tier"> {
  readonly tier?: "plain" | "enforced" | "both";
  /** What `ctx.everTracked` returns for every pattern; without it the context has no such function. */
  readonly tracked?: "yes" | "no" | "unknown";
  /** Directories before the fixture's own on PATH. */
  readonly path?: readonly string[];
}

/** Every command with every one of the others in its place of `%%`. */
export function combine(frames: readonly string[], commands: readonly string[]): string[] {
  return frames.flatMap((frame) => commands.map((command) => frame.replaceAll("%%", () => command)));
}

const plainFiles = {
  ws: `README.md LICENSE Makefile package.json tsconfig.json .editorconfig src/index.ts src/a.ts src/b.ts
    src/util.ts src/deep/c.ts test/a.test.ts test/b.test.ts docs/guide.md docs/api.md data/list.txt data/rows.csv
    data/items.json data/app.log data/numbers.txt data/notes.yaml data/old.gz scripts/build.sh config/dev.json`,
  untracked: `.env .npmrc config/.env.local sub/.env sub/readme.md secrets/key.pem private/k evil.sh 0/ls bin/jq
    opts/--pre=sh opts/-o opts/-i opts/plain.md nested/.npmrc nested/.claude/settings.json nested/readme.md
    deepnest/one/two/.npmrc deepnest/one/readme.md linked/in.md box/in.md .husky/pre-commit .claude/settings.json
    .vscode/settings.json .claude/worktrees/one/f.ts traps/commondir/HEAD traps/commondir/commondir
    traps/commondir/x/objects/k traps/commondir/x/refs/k traps/commondir/x/config traps/bare/HEAD
    traps/bare/objects/k traps/bare/refs/k traps/bare/config traps/bare/inner/f`,
  root: `out/secret.txt out/.env out/dir/f extra/f extra/deep/f ws-other/x home/.bashrc home/.ssh/id_rsa
    home/.aws/credentials home/notes.md home/ref/f home/ref/deep/f README.md`,
};

const spacedFiles = ["opts/a --pre=./evil.sh b.md", "docs/with blank.md"];

/** Link, and what it says. */
const links = [
  ["link-out", "../out"],
  ["link-secret", "../out/secret.txt"],
  ["link-in", "src"],
  ["link-deep", "src/deep"],
  ["link-env", ".env"],
  ["link-husky", ".husky"],
  ["link-npmrc", ".npmrc"],
  ["link-root", "/"],
  ["dangling-out", "../out/missing"],
  ["dangling-in", "src/missing.ts"],
  ["circle", "circle"],
  ["linked/out", "../../out"],
  ["to-linked", "linked"],
  ["box/to-linked", "../linked"],
  ["box/rc", "../../out/secret.txt"],
  ["links-only/one", "../../out/secret.txt"],
] as const;

/** Programs that a line may name; they are found here and never run. */
const programs = `awk bc bun cargo clang cmake composer deno docker dotnet env expand fmt fold free g++ gcc gem getconf
  git go gradle groups java javac jq kubectl make mvn node nproc npm npx numfmt php pip pnpm pr printenv python python3
  ruby rustc sed shuf tac tree tsc xxd yarn yq zcat base64 rg file find xargs`;

const gitEnv = {
  ...{ PATH: process.env["PATH"] ?? "", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
  ...{ GIT_AUTHOR_NAME: "A Person", GIT_AUTHOR_EMAIL: "person@example.org" },
  ...{ GIT_COMMITTER_NAME: "A Person", GIT_COMMITTER_EMAIL: "person@example.org" },
};

/** Lays the directories of the corpus; `@ws` is a real repository with traps beside its files. */
export function layFixture(): Ground {
  const ground = layGround();
  const ws = ground.said("@ws");
  rmSync(ws, { recursive: true });
  writeAll(ws, words(plainFiles.ws));
  commitAll(ws);
  writeAll(ws, [...words(plainFiles.untracked), ...spacedFiles]);
  writeAll(
    join(ws, "many"),
    Array.from({ length: 1_001 }, (_, index) => `f${index}`),
  );
  for (const [link, target] of links) linkAt(join(ws, link), target);
  git(ws, "init", "-q", "nested");
  writeAll(ground.said("@root"), words(plainFiles.root));
  writeAll(ground.said("@root/programs"), words(programs), 0o755);
  writeAll(join(ws, "bin"), ["jq"], 0o755);
  return ground;
}

function words(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

function writeAll(directory: string, names: readonly string[], mode = 0o644): void {
  for (const name of names) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${name}\n`, { mode });
  }
}

function linkAt(link: string, target: string): void {
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(target, link);
}

/** Two commits, a branch, a tag and a stash, so that what the cases name exists. */
function commitAll(ws: string): void {
  git(ws, "init", "-q", "-b", "main");
  git(ws, "add", "-A");
  git(ws, "commit", "-q", "-m", "The first");
  writeFileSync(join(ws, "src/a.ts"), "a second version\n");
  git(ws, "commit", "-q", "-a", "-m", "The second");
  git(ws, "branch", "topic");
  git(ws, "tag", "v1.0.0");
  writeFileSync(join(ws, "src/b.ts"), "stashed\n");
  git(ws, "stash", "-q");
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd, env: gitEnv, stdio: "ignore" });
}
