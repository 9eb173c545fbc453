import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { release } from "node:os";
import { dirname } from "node:path";
import * as z from "zod/mini";
import type { SandboxReport } from "./sandbox.ts";

/** The findings, and whether only the weaker form of the sandbox was possible. */
export interface Probed {
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
  const fresh = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, JSON.stringify(cached), { mode: 0o600, flag: "wx" });
    renameSync(fresh, file);
  } catch {
    rmSync(fresh, { force: true });
  }
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
