import { readFileSync } from "node:fs";
import { spawn } from "@lydell/node-pty";
import { terminalScreen } from "../test/support/terminal-screen.ts";

/** A program in a real pseudo-terminal, at which somebody types. */
export interface BenchTerminal {
  readonly pid: number;
  /** Bytes that the program has written so far. */
  bytes(): number;
  /** Resolves to the milliseconds since the start at which the screen first showed this. */
  shows(what: RegExp): Promise<number>;
  write(text: string): void;
  /** Types one character at the prompt; resolves to the milliseconds until the row with the cursor shows it. */
  typeKey(key: string): Promise<number>;
  clearLine(): Promise<void>;
  /** The memory that the program has now; not a number where the system does not tell. */
  residentMiB(): number;
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** What takes as long as this hangs. */
const PATIENCE_MS = 30_000;

export function openTerminal(
  argv: readonly string[],
  { cwd, env, columns = 100, rows = 40 }: TerminalPlace,
): BenchTerminal {
  const startedAt = performance.now();
  const [file = "", ...args] = argv;
  const terminal = spawn(file, args, {
    ...{ cols: columns, rows, cwd, name: "xterm-256color" },
    env: { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh", TERM: "xterm-256color", ...env },
  });
  let over = false;
  const screen = terminalScreen(columns, rows, { onAnswer: (text) => over || terminal.write(text) });
  const looks = new Set<() => void>();
  let bytes = 0;
  terminal.onData((text) => {
    bytes += Buffer.byteLength(text);
    screen.write(text, () => {
      for (const look of [...looks]) look();
    });
  });
  const ended = new Promise<void>((resolve) =>
    terminal.onExit(() => {
      over = true;
      resolve();
    }),
  );
  const visible = (): string =>
    Array.from({ length: rows }, (_, row) => screen.line(screen.scrolled() + row)).join("\n");
  /** In the input line, as far as `typeKey` did it. */
  let typed = "";
  const showsTyped = (): boolean => {
    const line = screen.line(screen.cursor().row);
    return typed === "" ? line === "›" : line.startsWith("› ") && line.endsWith(typed);
  };
  const until = (isThere: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        looks.delete(look);
      };
      const look = (): void => {
        if (!isThere()) return;
        stop();
        resolve();
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`The terminal does not show ${what}:\n${visible()}`));
      }, PATIENCE_MS);
      looks.add(look);
      look();
    });
  return {
    pid: terminal.pid,
    bytes: () => bytes,
    async shows(what) {
      await until(() => what.test(visible()), String(what));
      return performance.now() - startedAt;
    },
    write: (text) => terminal.write(text),
    async typeKey(key) {
      typed += key;
      const at = performance.now();
      terminal.write(key);
      await until(showsTyped, `"${typed}" in the input line`);
      return performance.now() - at;
    },
    async clearLine() {
      typed = "";
      terminal.write("\u0015");
      await until(showsTyped, "an empty input line");
    },
    residentMiB() {
      try {
        const kB = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${terminal.pid}/status`, "latin1"))?.[1];
        return Number(kB) / 1024;
      } catch {
        return Number.NaN;
      }
    },
    ended,
    kill: () => over || terminal.kill("SIGKILL"),
  };
}

interface TerminalPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}
