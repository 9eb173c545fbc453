import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../../lib/json.ts";
import type { Confined, ConfinedView } from "../../mailbox/confined.ts";
import { realOf } from "../engine/path-candidates.ts";

/** A program and its arguments, started without a shell. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** Runs a program to its end; never rejects. */
export type Run = (
  program: Program,
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    readonly maxOutputBytes?: number;
    readonly confined?: Confined;
  },
) => Promise<{
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Why it was not started. */
  readonly reason?: string | undefined;
}>;

const PROBE_MS = 20_000;

/** Whether each action was possible. */
const Findings = z.object({
  workspace: z.boolean(),
  outside: z.boolean(),
  protected: z.boolean(),
  secret: z.boolean(),
  network: z.boolean(),
  process: z.boolean(),
  socket: z.boolean(),
});
export type Findings = z.infer<typeof Findings>;

export interface ProbeParts {
  readonly platform: NodeJS.Platform;
  readonly run: Run;
  /** Troupe's private directory: the probe makes directories in it. */
  readonly state: string;
  /** The confinement to try, around what the probe shows and hides. */
  confined(seen: readonly ConfinedView[]): Confined;
}

/** Tries one allowed action and six forbidden ones in a confinement; a sentence if it did not even start. */
export async function probe({ platform, run, state, confined }: ProbeParts): Promise<Findings | string> {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const ground = realOf(mkdtempSync(join(state, "probe-")));
  const [work, outside] = [join(ground, "work"), join(ground, "outside")];
  const [held, secret] = [join(work, ".claude"), join(work, "secret")];
  for (const made of [work, outside, held]) mkdirSync(made);
  writeFileSync(secret, "secret", { mode: 0o600 });
  const listener = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const namespace = platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  const given = JSON.stringify({ work, outside, held, secret, port, namespace, pid: process.pid });
  try {
    const ended = await run(
      { file: process.execPath, args: ["-e", ACTIONS, given] },
      {
        ...{ cwd: work, env: {}, timeoutMs: PROBE_MS },
        confined: confined([
          { as: "write", path: work },
          { as: "read", path: held },
          { as: "no-file", path: secret },
        ]),
      },
    );
    const found = z.safeParse(Findings, parseJson(ended.stdout));
    if (found.success) return found.data;
    return ended.reason || firstLine(ended.stderr) || `it ended with exit code ${ended.exitCode}`;
  } finally {
    listener.close();
    rmSync(ground, { recursive: true, force: true });
  }
}

/** Each action's own attempt reports success; a program that is ended half-way has found nothing. */
const ACTIONS = `
const fs = require("node:fs"), net = require("node:net"), path = require("node:path");
const [{ work, outside, held, secret, port, namespace, pid }] = process.argv.slice(1).map(JSON.parse);
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
const others = () => fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length > 8;
(async () => console.log(JSON.stringify({
  workspace: can(() => fs.writeFileSync(path.join(work, "allowed"), "x")),
  outside: can(() => fs.writeFileSync(path.join(outside, "x"), "x")),
  protected: can(() => fs.writeFileSync(path.join(held, "settings.json"), "{}")) || can(() => fs.renameSync(held, held + "2")),
  secret: can(() => fs.readFileSync(secret)) || can(() => fs.chmodSync(secret, 0o600)),
  network: await connects(),
  process: can(() => { if (elsewhere()) throw new Error("another namespace"); process.kill(pid, 0); }) || (namespace !== "" && can(() => { if (!others()) throw new Error("alone"); })),
  socket: await listens(),
})))();
`;

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

/** Lists what a confinement does not enforce. */
export function openings(found: Findings): string[] {
  const words: Readonly<Record<Exclude<keyof Findings, "workspace">, string>> = {
    outside: "wrote outside of the workspace",
    protected: "changed a protected directory",
    secret: "read a hidden file",
    network: "reached the network",
    process: "reached processes outside",
    socket: "opened a Unix socket",
  };
  const through = Object.entries(words).flatMap(([what, said]) =>
    found[what as keyof typeof words] ? [said] : [],
  );
  return found.workspace ? through : [...through, "could not write in its own directory"];
}
