import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { shellWord } from "../lib/text.ts";

/** A program on another machine, reached through its standard input and output. */
export interface RemoteProgram {
  /** The machine. */
  readonly host: string;
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves with how ssh ended, as a clause. What it wrote before may still have to be read. */
  readonly exited: Promise<string>;
  /** Resolves later, with the last line that it wrote to its standard error as well. */
  readonly ended: Promise<string>;
  /** Closes its input, by which it ends. */
  end(): void;
  kill(): void;
}

export interface RemoteCommand {
  /** `ssh://[USER@]HOST[:PORT][/PATH/OF/PROGRAM]`. */
  readonly url: string;
  /** The program if the address names none. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives what it writes to its standard error. */
  onLine(line: string): void;
}

const STDERR_CHARS = 2_000;

/**
 * Starts a program on another machine by the user's own ssh, with its configuration, keys and known hosts. It never asks for
 * a password. Throws a sentence if the address is none.
 */
export function startOverSsh({ url, program, args, env, onLine }: RemoteCommand): RemoteProgram {
  const { user, host, port, path } = parseAddress(url);
  const child = spawn(
    "ssh",
    [
      ...["-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"],
      ...(port === "" ? [] : ["-p", port]),
      ...["--", user === "" ? host : `${user}@${host}`],
      [path === "" ? program : path, ...args].map(shellWord).join(" "),
    ],
    // Its own group: a Ctrl-C at the terminal is for the session, which ends it.
    { env, detached: true, stdio: ["pipe", "pipe", "pipe"] },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-STDERR_CHARS);
    for (const line of text.split("\n")) if (line.trim() !== "") onLine(`${host}: ${line.trim()}`);
  });
  // Its end says more than a write that failed.
  child.stdin.on("error", () => {});
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`ssh could not be started: ${error.message}`));
    child.once("exit", (code, signal) => resolve(`ssh ended with ${signal ?? `exit code ${code}`}`));
  });
  const closed = new Promise<string>((resolve) => {
    child.once("close", () => resolve(said.trim().split("\n").at(-1) ?? ""));
    // Without a process there is nothing to close.
    child.once("error", () => resolve(""));
  });
  const ended = Promise.all([exited, closed]).then(([how, last]) => (last === "" ? how : `${how}: ${last}`));
  return {
    ...{ host, input: child.stdin, output: child.stdout, exited, ended },
    end: () => child.stdin.end(),
    kill() {
      child.kill("SIGKILL");
      // Another process may hold the other ends.
      child.stdin.destroy();
      child.stdout.destroy();
    },
  };
}

/** Throws a sentence if it is not the address of a machine. */
function parseAddress(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "ssh:" || url.hostname === "" || url.password !== "" || url.search !== "")
    throw new Error(
      `"${text}" is not the address of a machine. Example: ssh://HOST, ssh://USER@HOST:22 or ssh://HOST/opt/troupe/bin/troupe.`,
    );
  const path = url.pathname === "/" ? "" : decodeURIComponent(url.pathname);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { user: decodeURIComponent(url.username), host, port: url.port, path };
}
