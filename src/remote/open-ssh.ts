import { randomBytes } from "node:crypto";
import type { Carrier } from "../engine/carrier.ts";
import { openPipe } from "../engine/pipe-carrier.ts";
import { type Clock, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { type RemoteProgram, startOverSsh } from "../processes/ssh.ts";

export interface SshOptions {
  /** `ssh://[USER@]HOST[:PORT][/PATH/OF/TROUPE]`. */
  readonly url: string;
  /** Further flags of `troupe runner`, such as `--slots`. */
  readonly args?: readonly string[];
  /** Of this process: ssh needs to find its keys and its agent. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Ends the start. */
  readonly signal?: AbortSignal;
  /** Receives what the runner says of itself. */
  onLine(line: string): void;
}

/** A runner on another machine that works for this session alone. */
export interface SshRunner {
  readonly carrier: Carrier;
  /** The fleet key of this connection, which only its two ends have. */
  readonly key: Uint8Array;
  /** Resolves with a sentence when ssh has ended, or nothing more can come from the runner. */
  readonly lost: Promise<string>;
}

/** Milliseconds that ssh has to end after its output has ended. */
const ENDS_MS = 2_000;

/**
 * Starts a runner on another machine through ssh, and speaks with it over its standard input and output: no server is needed,
 * and nothing has to be copied there but Troupe. Rejects with a sentence if it does not start.
 */
export async function openSsh({
  url,
  args = [],
  env,
  clock,
  signal,
  onLine,
}: SshOptions): Promise<SshRunner> {
  const key = randomBytes(32);
  const program = startOverSsh({
    ...{ url, env, onLine, program: "troupe" },
    args: ["runner", "--engine", "stdio:", ...args],
  });
  // The key is the first line; everything after it is sealed with it.
  program.input.write(`${key.toString("base64url")}\n`);
  const stop = () => program.kill();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const carrier = await openPipe({ input: program.output, output: program.input, clock });
    const isDown = new Promise<void>((resolve) => carrier.onUp((isUp) => isUp || resolve()));
    return { carrier, key, lost: lostWith(program, isDown, clock) };
  } catch (error) {
    // Another process of it may hold its standard error.
    const isEnding = await within(clock, ENDS_MS, program.exited);
    const hasEnded = isEnding && (await within(clock, ENDS_MS, program.ended));
    program.kill();
    // How ssh itself has ended says more than that nothing was answered, and that it was killed here says nothing.
    const how = isEnding ? await (hasEnded ? program.ended : program.exited) : errorMessage(error);
    throw new Error(`No runner could be started by ${url}: ${how}`);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** What the runner has sent before is read first. */
async function lostWith(program: RemoteProgram, isDown: Promise<void>, clock: Clock): Promise<string> {
  let how = "its output ended";
  const exited = program.exited.then((said) => {
    how = said;
  });
  await Promise.race([exited, isDown]);
  await within(clock, ENDS_MS, Promise.all([exited, isDown]));
  return `The connection to ${program.host} was lost (${how}).`;
}
