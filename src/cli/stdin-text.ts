import type { CliIO } from "./io.ts";
import { UsageError } from "./usage-error.ts";

/** A longer prompt is a mistake, such as a disk image piped in. */
const MAX_BYTES = 10_000_000;

/**
 * Reads standard input to its end. With `silentAfterMs` it returns null if not one byte has come by then, as from a pipe
 * that was left open; what has started to come is read to its end, however long that takes.
 */
export function readStdin({ stdin, clock }: CliIO, silentAfterMs?: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const cancel = silentAfterMs === undefined ? () => {} : clock.after(silentAfterMs, () => end(null));
    const stop = (): void => {
      cancel();
      stdin.off("data", onData).off("end", onEnd);
      // An open pipe that is not read would keep the process alive.
      stdin.destroy();
    };
    const end = (text: string | null): void => {
      stop();
      resolve(text);
    };
    const fail = (message: string): void => {
      stop();
      reject(new UsageError(message));
    };
    const onData = (chunk: Buffer | string): void => {
      cancel();
      const buffer = Buffer.from(chunk);
      chunks.push(buffer);
      bytes += buffer.length;
      if (bytes > MAX_BYTES)
        fail("More than 10 MB came on stdin; put it in a file and name the file in the prompt.");
    };
    const onEnd = () =>
      end(
        Buffer.concat(chunks)
          .toString("utf8")
          .replace(/^\ufeff/, ""),
      );
    stdin
      .on("data", onData)
      .once("end", onEnd)
      .on("error", (error: Error & { code?: string }) =>
        fail(`stdin cannot be read (${error.code ?? error.message}); give the prompt as an argument.`),
      );
  });
}
