import { createInterface } from "node:readline";
import type { CliIO } from "./io.ts";

/** Asks a person one thing at the terminal, on standard error. Whatever is not a clear yes, and the end of input, is no. */
export async function yesOrNo({ stdin, stderr }: CliIO, question: string): Promise<boolean> {
  await stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  const line = await new Promise<string | null>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(null));
  });
  lines.close();
  // The question's line has no end where no answer has ended it.
  if (line === null) await stderr.write("\n");
  return /^\s*y(es)?\s*$/i.test(line ?? "");
}
