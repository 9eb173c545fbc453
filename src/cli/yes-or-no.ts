import { createInterface } from "node:readline";
import type { CliIO } from "./process-io.ts";

/** Asks the user one thing at the terminal, on standard error. Anything but a clear yes is a no, as is the abort of `signal`. */
export async function askYesOrNo(
  { stdin, stderr }: Pick<CliIO, "stdin" | "stderr">,
  question: string,
  signal?: AbortSignal,
): Promise<boolean> {
  await stderr.write(`${question} [y/N] `);
  // A second question after the end of the input would wait forever.
  const line = stdin.readableEnded ? null : await nextLine(stdin, signal);
  // Without an answer the question's line has no end.
  if (line === null) await stderr.write("\n");
  return /^\s*y(es)?\s*$/i.test(line ?? "");
}

async function nextLine(input: CliIO["stdin"], signal?: AbortSignal): Promise<string | null> {
  const lines = createInterface({ input, ...(signal === undefined ? {} : { signal }) });
  const line = await new Promise<string | null>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(null));
  });
  lines.close();
  return line;
}
