import type { CliIO } from "./io.ts";
import { UsageError } from "./usage-error.ts";

/** A prompt longer than this is a mistake, such as a disk image piped in. */
const MAX_BYTES = 10_000_000;

/** What came on standard input. */
export type StdinText =
  | { readonly type: "text"; readonly text: string }
  /** Nothing came for so long that nothing will: a pipe that somebody left open. */
  | { readonly type: "silent" };

/**
 * Reads standard input to its end. With `silentAfterMs` it gives up when not one byte has come by then;
 * once something has come, it is read to the end however long that takes.
 */
export function readStdin(io: CliIO, silentAfterMs?: number): Promise<StdinText> {
  const { stdin, clock } = io;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const withdraw =
      silentAfterMs === undefined ? () => {} : clock.after(silentAfterMs, () => end({ type: "silent" }));
    const onData = (chunk: Buffer | string): void => {
      withdraw();
      const buffer = Buffer.from(chunk);
      chunks.push(buffer);
      bytes += buffer.length;
      if (bytes <= MAX_BYTES) return;
      stop();
      reject(
        new UsageError("More than 10 MB came on stdin; put it in a file and name the file in the prompt."),
      );
    };
    const onEnd = () =>
      end({
        type: "text",
        text: Buffer.concat(chunks)
          .toString("utf8")
          .replace(/^\ufeff/, ""),
      });
    const onError = (error: Error & { code?: string }): void => {
      stop();
      reject(
        new UsageError(
          `stdin cannot be read (${error.code ?? error.message}); give the prompt as an argument.`,
        ),
      );
    };
    const stop = (): void => {
      withdraw();
      stdin.off("data", onData).off("end", onEnd);
      // An open pipe that nobody reads would keep the process alive.
      stdin.destroy();
    };
    const end = (outcome: StdinText): void => {
      stop();
      resolve(outcome);
    };
    stdin.on("data", onData).once("end", onEnd).on("error", onError);
  });
}
