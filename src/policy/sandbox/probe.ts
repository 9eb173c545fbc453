import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Program, SandboxPlace, SandboxReport, Wrapped } from "./sandbox.ts";

/** Runs a program to its end, outside of any shell; never rejects. */
export type Run = (
  program: Program,
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
  },
) => Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }>;

const PROBE_MS = 20_000;

/** Whether each was possible. */
const Findings = z.object({
  workspace: z.boolean(),
  outside: z.boolean(),
  protected: z.boolean(),
  secret: z.boolean(),
  network: z.boolean(),
  signal: z.boolean(),
  socket: z.boolean(),
});
export type Findings = z.infer<typeof Findings>;

export interface ProbeOptions {
  readonly platform: NodeJS.Platform;
  readonly run: Run;
  wrap(program: Program, place: SandboxPlace): Promise<Wrapped | string>;
  /** A folder of ours in which the probe may make others. */
  readonly folder: string;
  /** A file in it that no command may read. */
  readonly secret: string;
}

/** One allowed action and six forbidden ones, done by a program in the sandbox; a sentence where it did not even start. */
export async function probe({
  platform,
  run,
  wrap,
  folder,
  secret,
}: ProbeOptions): Promise<Findings | string> {
  const ground = mkdtempSync(join(folder, "probe-"));
  const [work, outside] = [join(ground, "work"), join(ground, "outside")];
  for (const made of [work, outside]) mkdirSync(made);
  writeFileSync(secret, "secret", { mode: 0o600 });
  const listener = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const namespace = platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  const given = JSON.stringify({ work, outside, secret, port, namespace, pid: process.pid });
  try {
    const wrapped = await wrap(
      { file: process.execPath, args: ["-e", ACTIONS, given] },
      { writable: [work], readable: [] },
    );
    if (typeof wrapped === "string") return wrapped;
    const ended = await run(wrapped.program, { cwd: work, env: wrapped.env, timeoutMs: PROBE_MS });
    await wrapped.done();
    return (
      findingsIn(ended.stdout) ?? (firstLine(ended.stderr) || `it ended with exit code ${ended.exitCode}`)
    );
  } finally {
    listener.close();
    rmSync(ground, { recursive: true, force: true });
    rmSync(secret, { force: true });
  }
}

/** Each action's own attempt says whether it got through; a program that is ended half-way has found nothing. */
const ACTIONS = `
const fs = require("node:fs"), net = require("node:net"), path = require("node:path");
const [{ work, outside, secret, port, namespace, pid }] = process.argv.slice(1).map(JSON.parse);
const can = (act) => { try { act(); return true; } catch { return false; } };
const connects = () => new Promise((resolve) => {
  const socket = net.connect(port, "127.0.0.1");
  socket.once("connect", () => { socket.destroy(); resolve(true); });
  socket.once("error", () => resolve(false));
});
const listens = () => new Promise((resolve) => {
  const server = net.createServer();
  server.once("error", () => resolve(false));
  server.listen(path.join(work, "socket"), () => server.close(() => resolve(true)));
});
const elsewhere = () => namespace !== "" && fs.readlinkSync("/proc/self/ns/pid") !== namespace;
(async () => console.log(JSON.stringify({
  workspace: can(() => fs.writeFileSync(path.join(work, "allowed"), "x")),
  outside: can(() => fs.writeFileSync(path.join(outside, "x"), "x")),
  protected: can(() => { fs.mkdirSync(path.join(work, ".claude"), { recursive: true }); fs.writeFileSync(path.join(work, ".claude", "settings.json"), "{}"); }),
  secret: can(() => { if (fs.readFileSync(secret, "utf8") === "") throw new Error("masked"); }),
  network: await connects(),
  signal: can(() => { if (elsewhere()) throw new Error("another namespace"); process.kill(pid, 0); }),
  socket: await listens(),
})))();
`;

function findingsIn(stdout: string): Findings | null {
  try {
    const read = z.safeParse(Findings, JSON.parse(stdout));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

/** What is found of the sandbox, in the words of a report. `weaker`: it could only be had without a /proc of its own. */
export function judged(found: Findings, platform: NodeJS.Platform, weaker: boolean): SandboxReport {
  const through = (
    [
      ["outside", "wrote outside of the workspace"],
      ["protected", "wrote a file of configuration"],
      ["secret", "read what it may not read"],
      ["network", "reached the network"],
    ] as const
  ).flatMap(([what, words]) => (found[what] ? [words] : []));
  if (through.length > 0)
    return {
      state: "unavailable",
      reason: `The sandbox does not hold on this machine: a command in it ${through.join(", ")}. Please report this.`,
    };
  if (!found.workspace)
    return {
      state: "unavailable",
      reason:
        "A command in the sandbox cannot even write in its own folder. Check who owns the folder for temporary files (TMPDIR).",
    };
  const open = [
    ...(weaker ? ["it sees the processes of this container, which lets nobody mount a /proc"] : []),
    ...(found.signal ? ["it can signal processes outside"] : []),
    // Seatbelt bounds sockets by the paths they may connect to.
    ...(found.socket && platform === "linux"
      ? ["it can open Unix sockets (there is no seccomp filter for this machine)"]
      : []),
  ];
  if (open.length === 0) return { state: "enforced", reason: "" };
  return {
    state: "partial",
    reason: `The sandbox holds files and network, but of a command in it: ${open.join("; ")}. So commands are asked for as ever.`,
  };
}
