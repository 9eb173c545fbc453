import { randomBytes } from "node:crypto";
import type { Carrier } from "../engine/carrier.ts";
import { openPipe } from "../engine/pipe-carrier.ts";
import { type Clock, pause } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { startOverSsh } from "../processes/ssh.ts";

export interface SshOptions {
  /** `ssh://[USER@]HOST[:PORT][/PATH/OF/TROUPE]`. */
  readonly url: string;
  /** Further flags of `troupe runner`, such as `--slots`. */
  readonly args?: readonly string[];
  /** Of this process: ssh needs to find its keys and its agent. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Receives what the runner says of itself. */
  onLine(line: string): void;
}

/** A runner on another machine that works for this session alone. */
export interface SshRunner {
  readonly carrier: Carrier;
  /** The fleet key of this connection, which only its two ends have. */
  readonly key: Uint8Array;
}

/** Milliseconds that ssh has to end after its output has ended. */
const ENDS_MS = 1_000;

/**
 * Starts a runner on another machine through ssh, and speaks with it over its standard input and output: no server is needed,
 * and nothing has to be copied there but Troupe. Rejects with a sentence if it does not start.
 */
export async function openSsh({ url, args = [], env, clock, onLine }: SshOptions): Promise<SshRunner> {
  const key = randomBytes(32);
  const program = startOverSsh({
    ...{ url, env, onLine, program: "troupe" },
    args: ["runner", "--engine", "stdio:", ...args],
  });
  // The key is the first line; everything after it is sealed with it.
  program.input.write(`${key.toString("base64url")}\n`);
  try {
    const carrier = await openPipe({ input: program.output, output: program.input, clock });
    return { carrier, key };
  } catch (error) {
    // How ssh itself has ended says more than that nothing was answered, and that it was killed here says nothing.
    const ended = await Promise.race([program.ended, pause(clock, ENDS_MS)]);
    program.kill();
    throw new Error(`No runner could be started by ${url}: ${ended ?? errorMessage(error)}`);
  }
}
