import type { Readable, Writable } from "node:stream";
import type { Carrier } from "../../engine/carrier.ts";
import type { Sealer } from "../../engine/messages.ts";
import { openPipe } from "../../engine/pipe-carrier.ts";
import type { Clock } from "../../lib/clock.ts";
import { sealersOf } from "./fleet.ts";

/** A key is 32 bytes. */
const KEY_LINE = /^[\w-]{43}$/;
const MOST_LINE_BYTES = 1_000;

/**
 * Speaks with the one session at the other end of standard input and output. Its key comes as the first line, as it is new for
 * each connection. Rejects with a sentence.
 */
export async function openStdio(
  input: Readable,
  output: Writable,
  clock: Clock,
): Promise<{ readonly carrier: Carrier; readonly sealerOf: (session: string) => Sealer }> {
  const line = await readFirstLine(input);
  if (!KEY_LINE.test(line))
    throw new Error(
      "--engine stdio: is for a session that starts this runner: its first line must be a key of 32 bytes in base64url.",
    );
  const carrier = await openPipe({ input, output, clock });
  return { carrier, sealerOf: sealersOf(Buffer.from(line, "base64url")) };
}

/** Leaves everything after the line in the stream. */
async function readFirstLine(input: Readable): Promise<string> {
  let read = Buffer.alloc(0);
  return new Promise((resolve) => {
    const done = (line: string) => {
      input.off("readable", look);
      input.off("end", ended);
      resolve(line.trim());
    };
    const ended = () => done("");
    const look = () => {
      for (let chunk = input.read(); chunk !== null; chunk = input.read()) {
        read = Buffer.concat([read, Buffer.from(chunk)]);
        const end = read.indexOf("\n");
        if (end < 0 && read.length <= MOST_LINE_BYTES) continue;
        if (end >= 0) input.unshift(read.subarray(end + 1));
        return done(end < 0 ? "" : read.toString("utf8", 0, end));
      }
    };
    input.on("readable", look);
    input.once("end", ended);
  });
}
