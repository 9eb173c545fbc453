import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { BIN } from "./built.ts";
import { temporaryFolder } from "./temporary.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  /** The one JSON object on stdout. */
  json(): Record<string, unknown>;
}

export interface CliOptions {
  /** The fake server; without it there is no key either. */
  readonly url?: string;
  readonly cwd?: string;
  readonly home?: string;
  /** `open`: a test writes to it. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `troupe` settings of the person. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly onStart?: (child: ChildProcess) => void;
}

/** The real program, as built, in an empty home: what a person would see. */
export async function troupe(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const home = options.home ?? temporaryFolder("troupe-home-");
  if (options.settings) {
    mkdirSync(join(home, ".claude"), { recursive: true });
    writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify({ troupe: options.settings }));
  }
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = execa(process.execPath, [BIN, ...args], {
    cwd: options.cwd ?? temporaryFolder(),
    env: {
      ...{ PATH, NODE_COMPILE_CACHE },
      HOME: home,
      ...(options.url ? { ANTHROPIC_BASE_URL: options.url, ANTHROPIC_API_KEY: "sk-test-secret" } : {}),
      ...options.env,
    },
    ...(options.stdin === undefined
      ? { stdin: "ignore" as const }
      : options.stdin === "open"
        ? { stdin: "pipe" as const }
        : { input: options.stdin }),
    ...{ extendEnv: false, reject: false, stripFinalNewline: false },
  });
  options.onStart?.(child.nodeChildProcess);
  const { exitCode, signal, stdout, stderr } = await child;
  return {
    ...{ code: exitCode ?? null, signal: signal ?? null },
    ...{ out: stdout, err: stderr, json: () => JSON.parse(stdout) },
  };
}
