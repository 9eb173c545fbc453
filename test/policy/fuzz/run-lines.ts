import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CALLS, type Observed, readTrace } from "./trace.ts";

/** Returns why nothing can be observed on this system, or null if it can. */
export function observationProblem(): string | null {
  if (process.platform !== "linux") return "bubblewrap and strace are only on Linux";
  for (const name of ["bwrap", "strace", "tree", "rg"])
    if (!existsSync(`/usr/bin/${name}`))
      return `${name} is not installed (apt-get install bubblewrap strace tree ripgrep)`;
  try {
    const args = ["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=chdir", ...sandbox([]), "/bin/true"];
    execFileSync("/usr/bin/strace", args, { stdio: "ignore" });
    return null;
  } catch {
    return "bubblewrap and strace are installed but cannot make a sandbox or trace here";
  }
}

function sandbox(writable: readonly string[]): string[] {
  return [
    ...["/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
    ...writable.flatMap((directory) => ["--bind", directory, directory]),
    ...["--unshare-all", "--as-pid-1", "--die-with-parent", "--new-session"],
  ];
}

export interface LineToRun {
  readonly text: string;
  /** Its working directory, beside which `home` stands. */
  readonly ws: string;
}

/** A line without progress for this long is killed; what it did until then counts. */
const STUCK_MS = 1_000;

/** Where lines run: the command before bash, and what it gets from the fourth descriptor on. */
export interface Box {
  readonly args: readonly string[];
  readonly descriptors: readonly number[];
}

export interface Run {
  readonly root: string;
  /** One that no other run of this root has. */
  readonly name: string;
  readonly bin: string;
  readonly lines: readonly LineToRun[];
  /** Builds the box around what `io` holds; without it, a sandbox in which all below `root` can be written. */
  readonly box?: (io: string) => Box;
}

/** Runs each line in a bash of its own, all of them in one box, and returns what each one did. */
export async function observeLines({ root, name, bin, lines, box }: Run): Promise<Observed[]> {
  const io = join(root, `io-${name}`);
  const trace = join(root, `trace-${name}`);
  mkdirSync(io);
  try {
    for (const [at, { text, ws }] of lines.entries()) writeFileSync(join(io, `${at}.in`), `${ws}\0${text}\0`);
    writeFileSync(join(io, "fuzz-driver.sh"), DRIVER);
    const { args, descriptors } = box?.(io) ?? { args: sandbox([root]), descriptors: [] };
    const traced = [
      "-f",
      "-y",
      "--seccomp-bpf",
      "-q",
      "-e",
      "signal=none",
      "-e",
      `trace=${CALLS}`,
      "-o",
      trace,
    ];
    const bash = ["/bin/bash", "--noprofile", "--norc", join(io, "fuzz-driver.sh"), io, String(lines.length)];
    const child = spawn("/usr/bin/strace", [...traced, ...args, ...bash], {
      stdio: ["ignore", "pipe", "ignore", "ignore", ...descriptors],
      env: { PATH: `/usr/local/bin:/usr/bin:/bin:${bin}`, LC_ALL: "C", TERM: "dumb", USER: "u" },
    });
    await finish(child);
    const observed = readTrace(readFileSync(trace, "utf8"), io, lines.length);
    for (const [at, one] of observed.entries()) {
      const file = join(io, `${at}.out`);
      if (existsSync(file)) one.output = readFileSync(file, "latin1");
    }
    return observed;
  } finally {
    rmSync(io, { recursive: true, force: true });
    rmSync(trace, { force: true });
  }
}

/** Resolves when the driver has ended; ends lines that hang. */
function finish(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const endStuck = () => {
      const [driver] = descendants(child.pid ?? -1).filter(isDriver);
      for (const pid of driver === undefined ? [] : descendants(driver)) kill(pid);
      timer = setTimeout(endStuck, STUCK_MS);
    };
    let timer = setTimeout(endStuck, STUCK_MS);
    child.stdout?.on("data", () => timer.refresh());
    child.once("error", reject);
    child.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function isDriver(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).split("\0")[3]?.endsWith("/fuzz-driver.sh") ?? false;
}

function descendants(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(/\) . (\d+)/.exec(read(`/proc/${name}/stat`))?.[1])] as const);
  const below = (one: number): number[] =>
    parents.filter(([, parent]) => parent === one).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Opening the output file is what tells the trace where a line begins; what a line left running ends before the next. */
const DRIVER = `
zz_i=0
while [ "$zz_i" -lt "$2" ]; do
  { IFS= read -r -d '' zz_d; IFS= read -r -d '' zz_c; } < "$1/$zz_i.in"
  ( cd "$zz_d"; export HOME="\${zz_d%/ws}/home"; ulimit -t 1; ulimit -f 1024; eval "$zz_c"; wait ) >"$1/$zz_i.out" 2>&1 </dev/null
  zz_i=$((zz_i + 1)); printf .
done
`;
