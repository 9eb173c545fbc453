import { type IPty, spawn } from "@lydell/node-pty";
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
  /** The same for its last line: the status of the session, which `shows` does not see. */
  showsStatus(what: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  signal(name: NodeJS.Signals): void;
  /** The terminal itself goes away. */
  vanish(): void;
  /** The exit code; null where it was ended by `vanish`. */
  readonly ended: Promise<number | null>;
}

/** Returns why there is no terminal to test with, or null if there is one: the package has binaries for these systems. */
export function whyNoTerminal(): string | null {
  return process.platform === "win32" ? "Windows has no pseudo-terminals of this sort" : null;
}

/** The line below the prompt: it has a mode, and no other line of that form is last. */
const STATUS = /^ {2}(?:\S.* · )?(?:default|acceptEdits|plan|bypassPermissions|dontAsk)(?: · .*)?$/;

function aboveStatus(lines: readonly string[]): readonly string[] {
  return STATUS.test(lines.at(-1) ?? "") ? lines.slice(0, -1) : lines;
}

/** Runs the program in a new terminal; both are gone when the test has ended. */
export function inTerminal(argv: readonly string[], options: PseudoTerminalOptions): PseudoTerminal {
  const { cwd, env, columns = 80, rows = 24 } = options;
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const [file = "", ...args] = argv;
  const terminal = spawn(file, args, {
    ...{ cols: columns, rows, cwd, name: env["TERM"] ?? "xterm" },
    env: { PATH, NODE_COMPILE_CACHE, SHELL: "/bin/sh", ...env },
  });
  return attached(terminal, columns, rows);
}

function attached(terminal: IPty, columns: number, rows: number): PseudoTerminal {
  const watchers = new Set<() => void>();
  let written = "";
  let over = false;
  const look = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  // A real terminal answers questions about itself.
  const screen = terminalScreen(columns, rows, { onAnswer: (text) => over || terminal.write(text) });
  terminal.onData((text) => {
    written += text;
    screen.write(text, look);
  });
  const exited = Promise.withResolvers<number | null>();
  let vanished = false;
  terminal.onExit(({ exitCode, signal }) => {
    // What it wrote last may still be on its way to the screen.
    screen.write("", () => {
      over = true;
      exited.resolve(vanished ? null : signal ? 128 + signal : exitCode);
      look();
    });
  });
  onTestFinished(() => void (over || terminal.kill("SIGKILL")));

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
  return {
    screen,
    written: () => written,
    type: (keys) => terminal.write(keys),
    shows: (what) => until(what, () => aboveStatus(screen.lines()).join("\n")),
    showsStatus: (what) => until(what, () => screen.lines().at(-1) ?? ""),
    resize(columns, rows) {
      screen.resize(columns, rows);
      terminal.resize(columns, rows);
    },
    signal: (name) => void process.kill(terminal.pid, name),
    vanish() {
      vanished = true;
      (terminal as IPty & { destroy(): void }).destroy();
    },
    ended: exited.promise,
  };
}
