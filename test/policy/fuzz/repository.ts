// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is sh's.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The directories of one copy of the fixture; only `ws` is the workspace. */
export interface Ground {
  readonly ws: string;
  readonly home: string;
  readonly outside: string;
}

/** The command that deny rules name; it is on PATH and does nothing. */
export const CANARY = "qcanary";
/** Contents that must not be printed: of files outside, and of files under Read denies. */
export const OUTSIDE_SECRET = "QZOUTSIDE";
export const ENV_SECRET = "QZDENIEDENV";
export const DOCS_SECRET = "QZDENIEDDOC";
/** Stands in files that are under these denies and that git does not know, and in the home. */
export const HIDDEN_SECRET = "QZHIDDEN";

export function groundAt(directory: string): Ground {
  const at = (name: string) => join(directory, name);
  return { ws: at("ws"), home: at("home"), outside: at("outside") };
}

const EVIL = '#!/bin/sh\necho started > "${0%/*}/PWNED"\n';
const HOSTILE_CONFIG =
  "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = ./evil.sh\n\tpager = ./evil.sh\n" +
  '[diff]\n\texternal = ./evil.sh\n[diff "evil"]\n\ttextconv = ./evil.sh\n[alias]\n\tst = !./evil.sh\n';

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Read me\nfoo bar\nTODO one\n",
  "notes.md": "foo\n--pre=./evil.sh\n../outside/secret.txt\n.env\n",
  "list.txt": "a.txt\n--pre=./evil.sh\n../outside/secret.txt\nlout\n.env\n",
  "a.txt": "alpha\nfoo\nbeta 3\n",
  "b.txt": "alpha\nbar\nbeta 4\n",
  "two words.txt": "foo\n",
  "data.json": '{"x": 1}\n',
  "src/one.ts": "export const foo = 1;\n",
  "src/two.ts": "import { foo } from './one.ts';\n",
  "src/deep/three.ts": "const TODO = 3;\n",
  "docs/guide.md": `# Guide\nfoo ${DOCS_SECRET}\n`,
  "docs/rc": `rc ${DOCS_SECRET}\n`,
  "-rf": "dash\n",
  "-o": "dash o\n",
  "--pre=sh": "pre\n",
  "--output=.npmrc": "out\n",
  "a --pre=./evil.sh a.txt": "foo\n",
  "x;y": "semi\n",
  "new\nline.txt": "foo\n",
  "odd/--pre=sh": "pre\n",
  "odd/x.sh": "echo foo\n",
  "odd/-o": "dash o\n",
  "odd/$(evil)": "foo\n",
  ".env": `KEY=${ENV_SECRET}1\n`,
  "pkg/.env": `KEY=${ENV_SECRET}2\n`,
  "pkg/index.js": "foo\n",
  "odd/.env": `KEY=${ENV_SECRET}3 ${HIDDEN_SECRET}\n`,
  "pkg/docs/note.md": `foo ${DOCS_SECRET} ${HIDDEN_SECRET}\n`,
  ".npmrc": "registry=x\n",
  ".bashrc": "alias ls='./evil.sh'\n",
  ".gitattributes": "*.md diff=evil\n*.ts diff=evil\n",
  ".ripgreprc": "--pre=./evil.sh\n",
};
const PROGRAMS = ["evil.sh", ".evil.sh", "0/ls", "0/cat", "0/rg", "0/git", "src/ls", "n/ls", "trap/evil.sh"];
const LINKS: Readonly<Record<string, string>> = {
  lout: "../outside/secret.txt",
  ldir: "../outside",
  lenv: ".env",
  lup: "..",
  lin: "a.txt",
  lsrc: "src",
  dangling: "../outside/new.txt",
  "src/lout2": "../../outside/secret.txt",
  "docs/lhost": "/etc/hostname",
  "docs/lsec": "../../outside/secret.txt",
  "docs/ldir2": "../../outside/deep",
};

/**
 * Makes the hostile repository, a directory and a home outside of it. It has a history in which the denied file was
 * tracked, a stash, traps that look like repositories, and links that lead out.
 */
function makeRepository(directory: string): void {
  const { ws, home, outside } = groundAt(directory);
  write(join(outside, "secret.txt"), `secret ${OUTSIDE_SECRET}1\n`);
  write(join(outside, "deep/other.txt"), `foo ${OUTSIDE_SECRET}2\n`);
  write(join(outside, ".env"), `KEY=${OUTSIDE_SECRET}3\n`);
  write(join(home, ".ssh/id_rsa"), `key ${OUTSIDE_SECRET}4 ${HIDDEN_SECRET}\n`);
  write(join(home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.com\n[gc]\n\tauto = 0\n");
  for (const [name, text] of Object.entries(FILES)) write(join(ws, name), text);
  for (const name of PROGRAMS) program(join(ws, name), EVIL);
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(ws, name));
  makeHistory(ws, home);
  makeTraps(ws);
}

function makeHistory(ws: string, home: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "init.templateDir=", "-c", "core.hooksPath=/dev/null", ...args], {
      cwd: ws,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "ignore",
    });
  git("init", "-q", "-b", "main");
  git("add", "-f", "a.txt", ".env", "README.md", "src/one.ts");
  git("commit", "-qm", "first");
  git("tag", "v1");
  git("branch", "other");
  git("rm", "-q", "--cached", ".env");
  git("add", "src", "docs", "list.txt");
  git("commit", "-qm", "second foo");
  write(join(ws, "a.txt"), `${FILES["a.txt"]}stashed text\n`);
  git("add", "-f", "pkg/.env");
  git("stash", "-q");
  git("tag", "-a", "v2", "-m", "two");
  write(join(ws, "pkg/.env"), FILES["pkg/.env"] ?? "");
  write(join(ws, "b.txt"), `${FILES["b.txt"]}changed\n`);
  git("add", "-f", ".env", "b.txt");
  git("gc", "-q");
}

/** Directories that git takes for repositories, or would after one more file. */
function makeTraps(ws: string): void {
  const config = (place: string, worktree: string) =>
    write(join(ws, place, "config"), HOSTILE_CONFIG + worktree);
  for (const name of ["bare", "trap/sub", "trap", "almost", "nested"])
    program(join(ws, name, "evil.sh"), EVIL);
  // In a repository without a working tree, git diff needs commits and starts the external program.
  mkdirSync(join(ws, "trap/x/refs/heads"), { recursive: true });
  cpSync(join(ws, ".git/objects"), join(ws, "trap/x/objects"), { recursive: true });
  cpSync(join(ws, ".git/packed-refs"), join(ws, "trap/x/packed-refs"));
  config("trap/x", "");
  write(join(ws, "trap/HEAD"), "ref: refs/heads/main\n");
  write(join(ws, "trap/commondir"), "x\n");
  write(join(ws, "trap/sub/file.md"), "foo\n");
  mkdirSync(join(ws, "bare/objects"), { recursive: true });
  mkdirSync(join(ws, "bare/refs"));
  write(join(ws, "bare/HEAD"), "ref: refs/heads/main\n");
  config("bare", "[core]\n\tworktree = .\n");
  mkdirSync(join(ws, "almost/objects"), { recursive: true });
  write(join(ws, "almost/HEAD"), "ref: refs/heads/main\n");
  config("almost", "[core]\n\tworktree = .\n");
  execFileSync("git", ["-c", "init.templateDir=", "init", "-q", join(ws, "nested")], { stdio: "ignore" });
  config("nested/.git", "");
  write(join(ws, "nested/file.md"), "foo\n");
}

/** A workspace that is no repository, and becomes one with a hostile configuration if `refs` is made. */
function removeRepository(ws: string): void {
  rmSync(join(ws, ".git"), { recursive: true });
  mkdirSync(join(ws, "objects"));
  write(join(ws, "HEAD"), "ref: refs/heads/main\n");
  write(join(ws, "config"), `${HOSTILE_CONFIG}[core]\n\tworktree = .\n`);
}

/** Ends its whole line, `watch` and all, but only where process 1 is the driver of these lines (run-lines.ts). */
const ENDING =
  "#!/bin/sh\nread -r name </proc/1/comm\n[ $name = bash ] && grep -q fuzz-driver.sh /proc/1/cmdline && kill -9 -1\n";

/** Reads its options as sudo does, and runs the rest as the same user. */
const FAKE_SUDO = `#!/bin/bash
while getopts ABbEHnPSklKvisC:D:g:h:p:R:r:T:t:U:u: o; do :; done
shift $((OPTIND - 1))
exec env -- "$@"
`;

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function program(path: string, text: string): void {
  write(path, text);
  chmodSync(path, 0o755);
}

/** Makes a temporary directory, in memory if possible: a copy of the fixture then takes a tenth of the time. */
export function makeRoot(parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()): string {
  return mkdtempSync(join(parent, "troupe-fuzz-"));
}

/** Copies of the fixture, each in a directory of its own below `root`. */
export class Copies {
  readonly #root: string;
  readonly #template: string;
  constructor(root: string, kind: "repository" | "almost" = "repository") {
    this.#root = root;
    this.#template = join(root, kind);
    program(join(this.bin, CANARY), ENDING);
    for (const name of ["sudo", "doas"]) program(join(this.bin, name), FAKE_SUDO);
    makeRepository(this.#template);
    if (kind === "almost") removeRepository(groundAt(this.#template).ws);
  }
  /** The directory of programs that every copy shares. */
  get bin(): string {
    return join(this.#root, "bin");
  }
  make(name: string, count: number): Ground[] {
    const directories = Array.from({ length: count }, (_, at) => join(this.#root, `${name}-${at}`));
    const script = 'from=$1; shift; for to; do cp -a -- "$from" "$to"; done';
    execFileSync("/bin/sh", ["-c", script, "sh", this.#template, ...directories]);
    return directories.map(groundAt);
  }
  remove(grounds: readonly Ground[]): void {
    for (const { ws } of grounds) rmSync(dirname(ws), { recursive: true, force: true });
  }
}
