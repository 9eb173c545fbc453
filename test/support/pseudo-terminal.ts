import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { type TerminalScreen, terminalScreen } from "./terminal-screen.ts";

export interface PseudoTerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** Not a limit on speed: what takes as long as this hangs, and the screen says where. */
const PATIENCE_MS = 50_000;

/** A program that runs in a terminal of its own. */
export interface PseudoTerminal {
  readonly screen: TerminalScreen;
  /** Everything it wrote, as it wrote it. */
  written(): string;
  type(keys: string): void;
  /** Resolves once this is on the screen, scrollback included; rejects when the program ends without it. */
  shows(what: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  signal(name: NodeJS.Signals): void;
  /** The terminal itself goes away. */
  vanish(): void;
  /** The exit code; null where it was ended by `vanish`. */
  readonly ended: Promise<number | null>;
}

/**
 * Why there is no terminal to test with, in a sentence; null where there is. It is made by `script` of
 * util-linux, which every Debian and Ubuntu has; that of macOS wants a terminal itself.
 */
export function whyNoTerminal(): string | null {
  if (process.platform !== "linux") return "it is made with util-linux's script, and this is not Linux";
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return stdout?.includes("util-linux")
    ? null
    : "util-linux's script is not installed (apt-get install bsdutils)";
}

/** Runs the program in a new terminal; both are gone when the test has ended. */
export function inTerminal(argv: readonly string[], options: PseudoTerminalOptions): PseudoTerminal {
  const { cwd, env, columns = 80, rows = 24 } = options;
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  // The shell tells its own id and its terminal first, then becomes the program.
  const line = `stty cols ${columns} rows ${rows}; echo "@@$$ $(tty)@@"; exec "$@"`;
  const command = ["sh", "-c", line, "sh", ...argv].map(quote).join(" ");
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, SHELL: "/bin/sh", TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  return attached(child, terminalScreen(columns, rows));
}

function attached(child: ChildProcess, screen: TerminalScreen): PseudoTerminal {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("script was started without pipes");
  const watchers = new Set<() => void>();
  let written = "";
  let over = false;
  let place: { readonly pid: number; readonly tty: string } | null = null;
  const look = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  // What is typed after the end has nobody to read it.
  stdin.on("error", () => {});
  stdout.setEncoding("utf8").on("data", (text: string) => {
    written += text;
    const greeting = place ? null : /@@(\d+) (\S+)@@\r?\n/.exec(written);
    if (greeting) {
      place = { pid: Number(greeting[1]), tty: greeting[2] ?? "" };
      written = written.slice(greeting.index + greeting[0].length);
      screen.write(written);
    } else if (place) screen.write(text);
    look();
  });
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      over = true;
      resolve(code);
      look();
    }),
  );
  onTestFinished(() => void (over || child.kill("SIGKILL")));

  const until = (what: string | RegExp, text: () => string): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (problem?: string): void => {
        clearTimeout(timer);
        watchers.delete(watcher);
        if (problem === undefined) resolve();
        else reject(new Error(`${problem} ${what}; on the screen:\n${screen.lines().join("\n")}`));
      };
      const watcher = (): void => {
        const found = typeof what === "string" ? text().includes(what) : what.test(text());
        if (found) end();
        else if (over) end("It ended without showing");
      };
      const timer = setTimeout(() => end("It does not show"), PATIENCE_MS);
      watchers.add(watcher);
      watcher();
    });
  const there = () => {
    if (!place) throw new Error("the program has not begun yet; wait for what it shows first");
    return place;
  };
  return {
    screen,
    written: () => written,
    type: (keys) => void stdin.write(keys),
    shows: (what) => until(what, () => screen.lines().join("\n")),
    resize: (columns, rows) =>
      void spawnSync("stty", ["-F", there().tty, "cols", String(columns), "rows", String(rows)]),
    signal: (name) => void process.kill(there().pid, name),
    vanish: () => void child.kill("SIGKILL"),
    ended,
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
