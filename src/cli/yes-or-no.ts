import { createInterface } from "node:readline";
import type { CliIO } from "./io.ts";

/** Asks the user one thing at the terminal, on standard error. Anything but a clear yes is a no. */
export async function askYesOrNo({ stdin, stderr }: CliIO, question: string): Promise<boolean> {
  await stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  const line = await new Promise<string | null>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(null));
  });
  lines.close();
  // Without an answer the question's line has no end.
  if (line === null) await stderr.write("\n");
  return /^\s*y(es)?\s*$/i.test(line ?? "");
}
