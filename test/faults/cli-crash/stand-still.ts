import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";

/** How long a diagnostic report may take: it is written by the event loop, which may be what stands still. */
const REPORT_MS = 5_000;

/** What the process does that is still there after `ms`; null if the signal was aborted before. `root`: where its reports go. */
export async function watchStandStill(
  pid: number | undefined,
  { root, ms, signal }: { readonly root: string; readonly ms: number; readonly signal: AbortSignal },
): Promise<string | null> {
  try {
    await wait(ms, undefined, { signal, ref: false });
  } catch {
    return null;
  }
  return pid === undefined ? null : describeProcess(pid, root);
}

/** What the system and Node say of a process: threads and where they wait, files, children, handles, stacks. */
async function describeProcess(pid: number, root: string): Promise<string> {
  const proc = `/proc/${pid}`;
  const threads = namesIn(`${proc}/task`).map((thread) => {
    const of = (name: string) => textOf(`${proc}/task/${thread}/${name}`).trim();
    return `thread ${thread} ${of("comm")}: wchan ${of("wchan")}, syscall ${of("syscall")}, children ${of("children") || "none"}`;
  });
  const files = namesIn(`${proc}/fd`).map((fd) => `fd ${fd}: ${targetOf(`${proc}/fd/${fd}`)}`);
  // The stacks come first: a report wakes the event loop, which may end what is to be seen.
  const stacks = nativeStacks(pid);
  return [textOf(`${proc}/stat`).trim(), ...threads, ...files, stacks, await reportOf(pid, root)].join("\n");
}

/** State of libuv's thread pool: work that waits (a queue that does not lead to itself) while all threads are idle was lost. */
const POOL = ["print &wq", "x/2gx &wq", "x/1wx &idle_threads", "x/12wx &cond"];

/** Needs gdb; without one the stacks of threads are left out. */
function nativeStacks(pid: number): string {
  try {
    const look = ["thread apply all bt 20", ...POOL];
    const args = ["-p", String(pid), "-batch", ...look.flatMap((command) => ["-ex", command])];
    return execFileSync("gdb", args, { encoding: "utf8", stdio: "pipe", timeout: 60_000 });
  } catch (error) {
    return `no native stacks: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
  }
}

const Report = z.object({ javascriptStack: z.unknown(), libuv: z.unknown(), workers: z.unknown() });

/** Of Node's diagnostic report, what tells why a process does not end. */
async function reportOf(pid: number, root: string): Promise<string> {
  try {
    process.kill(pid, "SIGUSR2");
  } catch {
    return "it has ended meanwhile";
  }
  const until = performance.now() + REPORT_MS;
  while (performance.now() < until) {
    const name = namesIn(root).find((file) => file.startsWith("report.") && file.includes(`.${pid}.`));
    const report = Report.safeParse(name === undefined ? null : jsonOf(join(root, name)));
    if (report.success) return JSON.stringify(report.data, null, 1);
    await wait(10);
  }
  return "no diagnostic report: the event loop does not turn";
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Not written to its end yet.
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "closed";
  }
}
