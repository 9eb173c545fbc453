import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { release } from "node:os";
import { isAbsolute, join } from "node:path";
import * as z from "zod/mini";
import { errorMessage } from "../../lib/errors.ts";
import { replaceCache } from "../../lib/files.ts";
import { isPathInside } from "../../lib/paths.ts";
import type { Confined } from "../../mailbox/confined.ts";
import { type Findings, probe, type Run } from "./probe.ts";
import type { SandboxReport } from "./sandbox.ts";

/** What confinements are built from and tried with. */
export interface BuilderOptions {
  readonly platform: NodeJS.Platform;
  /** The kernel's release, as `os.release()` says it. */
  readonly kernel: string;
  /** What commands get of the user's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly troupeHome: string;
  /** The workspace: no program that builds a confinement is taken from it. */
  readonly directories: readonly string[];
  /** Starts a program like all others of the session. */
  readonly run: Run;
}

/** The program that builds confinements here, and the directory that it needs. */
export interface Builder {
  readonly program: string;
  readonly state: string;
}

/** A sentence if there can be none. */
export function findBuilder(
  options: Pick<BuilderOptions, "platform" | "kernel" | "env" | "directories" | "troupeHome">,
): Builder | string {
  const { platform, kernel, env, directories, troupeHome } = options;
  const name = platform === "darwin" ? "sandbox-exec" : "bwrap";
  const program = trustedProgram(name, env["PATH"], directories);
  const none = whyNotHere(platform, kernel, program);
  if (none !== null || program === null) return none ?? "sandbox-exec is missing from this macOS.";
  return { program, state: join(troupeHome, "sandbox") };
}

/** Tries a type of confinement once per machine, or reads an earlier result. Never rejects. */
export async function tryOut(
  type: Confined["type"],
  { program, state }: Builder,
  { platform, run }: BuilderOptions,
  judge: (found: Findings, weaker: boolean) => Probed["report"],
): Promise<Probed> {
  const file = join(state, `probe-${type}.json`);
  const key = probeKey(platform, [program, process.execPath]);
  const known = key === null ? null : readProbe(file, key);
  if (known !== null) return known;
  const attempt = async (weaker: boolean): Promise<Probed | string> => {
    const found = await probe({
      ...{ platform, run, state },
      confined: (seen) => ({ type, builder: program, state, seen: [...seen], ...(weaker ? { weaker } : {}) }),
    }).catch((error) => errorMessage(error));
    return typeof found === "string" ? found : { report: judge(found, weaker), weaker };
  };
  const strict = await attempt(false);
  // A container that forbids mounting /proc can still do the rest.
  const probed = typeof strict === "string" && /proc/i.test(strict) ? await attempt(true) : strict;
  if (typeof probed === "string") {
    const said = typeof strict === "string" ? strict : probed;
    return { report: { state: "unavailable", reason: whyNotStarted(said, kernelSwitch) }, weaker: false };
  }
  if (key !== null) keepProbe(file, key, probed);
  return probed;
}

/** Returns why this system cannot run a sandbox, or null if it can. */
export function whyNotHere(platform: NodeJS.Platform, kernel: string, bwrap: string | null): string | null {
  if (platform === "darwin") return null;
  if (platform !== "linux")
    return `There is no sandbox for commands on ${platform === "win32" ? "Windows; run Troupe in WSL 2" : platform}.`;
  if (/microsoft/i.test(kernel) && !/wsl2|microsoft-standard/i.test(kernel))
    return "There is no sandbox in WSL 1. Convert this distribution to WSL 2 (wsl --set-version).";
  if (bwrap === null)
    return "bubblewrap is not installed. Install it with socat (Debian and Ubuntu: apt install bubblewrap socat; Fedora: dnf install bubblewrap socat; Arch: pacman -S bubblewrap socat).";
  return null;
}

/** Reads one of the kernel's switches; returns null if it has none of this name. */
type Switch = (name: string) => string | null;

function kernelSwitch(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name}`, "utf8").trim();
  } catch {
    return null;
  }
}

/** Returns what keeps bubblewrap from working, from its output and the kernel's switches. */
export function whyNotStarted(said: string, read: Switch): string {
  const refused = /uid map|user namespace|namespace failed|Permission denied|Operation not permitted/i.test(
    said,
  );
  const what = `bubblewrap cannot make a sandbox here (${said}).`;
  if (!refused)
    return `${what} Run "bwrap --ro-bind / / --unshare-user --unshare-pid --proc /proc true" to see why.`;
  if (read("kernel/apparmor_restrict_unprivileged_userns") === "1")
    return `${what} AppArmor lets only programs with a profile make user namespaces: give /usr/bin/bwrap one (on Ubuntu, apt install apparmor-profiles and enable bwrap-userns-restrict).`;
  if (read("kernel/unprivileged_userns_clone") === "0")
    return `${what} User namespaces are switched off: set kernel.unprivileged_userns_clone to 1 with sysctl.`;
  if (read("user/max_user_namespaces") === "0")
    return `${what} User namespaces are switched off: set user.max_user_namespaces to more than 0 with sysctl.`;
  return `${what} User namespaces are not allowed here; in a container, its seccomp profile has to allow them.`;
}

/** The findings, and whether only the weaker form of the sandbox was possible. */
interface Probed {
  readonly report: SandboxReport;
  readonly weaker: boolean;
}

const Cached = z.object({
  key: z.string(),
  state: z.enum(["enforced", "partial"]),
  reason: z.string(),
  weaker: z.boolean(),
});

/** Ignores a cache that another user could write: it could claim a confinement that does not exist. */
export function readProbe(file: string, key: string): Probed | null {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { mode, uid } = fstatSync(fd);
    if ((mode & 0o077) !== 0 || (process.getuid !== undefined && uid !== process.getuid())) return null;
    const read = z.safeParse(Cached, JSON.parse(readFileSync(fd, "utf8")));
    if (!read.success || read.data.key !== key) return null;
    const { state, reason, weaker } = read.data;
    return { report: { state, reason }, weaker };
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Does not cache what is unavailable: once the package is installed, the next start finds it. Never throws. */
export function keepProbe(file: string, key: string, { report: { state, reason }, weaker }: Probed): void {
  if (state === "unavailable") return;
  const cached: z.infer<typeof Cached> = { key, state, reason, weaker };
  replaceCache(file, JSON.stringify(cached));
}

/** Returns a key that changes when the machine restarts or what the sandbox depends on changes; null if nothing may be cached. */
export function probeKey(platform: NodeJS.Platform, programs: readonly (string | null)[]): string | null {
  if (platform !== "linux") return null;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // Containers share a boot, but not what they allow.
    const namespaces = ["user", "mnt", "pid"].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    return JSON.stringify([
      ...[VERSION, boot, release(), process.arch, process.version, process.getuid?.() ?? null],
      ...namespaces,
      ...programs.map(identity),
    ]);
  } catch {
    return null;
  }
}

/** Raise it when the probe checks more, or confinements are built in another way. */
const VERSION = "2";

function identity(program: string | null): string {
  if (program === null) return "";
  const { size, mtimeMs, ino, mode } = statSync(program);
  return [program, size, mtimeMs, ino, mode].join(" ");
}

/** Directories of programs from the package manager; Ubuntu's AppArmor profile is for /usr/bin/bwrap. */
const SYSTEM_FOLDERS = "/usr/bin /bin /usr/sbin /sbin /usr/local/bin /run/current-system/sw/bin".split(" ");

/**
 * Finds a program that builds the sandbox, which the sandboxed code must not control: never by a relative entry of
 * PATH, and never below an `untrusted` directory (the workspace). Returns null if it does not exist.
 */
export function trustedProgram(
  name: string,
  path: string | undefined,
  untrusted: readonly string[],
): string | null {
  const folders = [...SYSTEM_FOLDERS, ...(path ?? "").split(":").filter(isAbsolute)];
  const unsafe = untrusted.map((folder) => real(folder) ?? folder);
  for (const folder of folders) {
    const candidate = join(folder, name);
    const target = real(candidate);
    if (target === null || !isProgram(target)) continue;
    if (unsafe.some((root) => isPathInside(candidate, root) || isPathInside(target, root))) continue;
    return candidate;
  }
  return null;
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isProgram(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o111) !== 0;
}
