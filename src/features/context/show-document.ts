import type { ShownDocument } from "../../context/references.ts";
import type { ShownBlock } from "../../tools/images.ts";
import { read } from "../../tools/read.ts";
import { ReadLedger } from "../../tools/read-ledger.ts";

/** The longest a prompt waits for a document that it names. */
const SHOW_MS = 60_000;

/** Shows a document that a prompt names, through Read's own code: the same text, limits and images. */
export async function showDocument(
  path: string,
  { cwd, resultChars }: { readonly cwd: string; readonly resultChars: number },
): Promise<ShownDocument> {
  const reads = new ReadLedger();
  const context = { cwd, reads, resultChars, signal: AbortSignal.timeout(SHOW_MS) };
  const shown = await read({ file_path: path }, context).catch((error: Error) => error);
  if ("message" in shown) return { text: shown.message, pictures: [] };
  const blocks: readonly ShownBlock[] = "text" in shown ? [{ type: "text", text: shown.text }] : shown.blocks;
  const [entry] = reads.fresh;
  return {
    text: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    pictures: blocks.flatMap((block) => (block.type === "image" ? [block] : [])),
    ...(entry ? { read: entry } : {}),
  };
}
