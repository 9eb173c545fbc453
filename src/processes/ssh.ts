import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { shellWord } from "../lib/text.ts";

/** A program on another machine, reached through its standard input and output. */
export interface RemoteProgram {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves with how the connection ended, as a clause. */
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
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`ssh could not be started: ${error.message}`));
    child.once("close", (code, signal) => {
      const last = said.trim().split("\n").at(-1);
      resolve(`ssh ended with ${signal ?? `exit code ${code}`}${last ? `: ${last}` : ""}`);
    });
  });
  return {
    ...{ input: child.stdin, output: child.stdout, ended },
    end: () => child.stdin.end(),
    kill: () => child.kill("SIGKILL"),
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
