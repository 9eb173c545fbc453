import * as z from "zod/mini";
import type { Carrier } from "./carrier.ts";
import type { Seal } from "./seal.ts";

export type Sealer = Seal;

/** Characters of a message that travel as they are; more become a blob, and the message names it. */
const INLINE_CHARS = 192 * 1024;

/** `session`: by which its key is derived. */
const Envelope = z.union([
  z.object({ session: z.string(), sealed: z.string() }),
  z.object({ session: z.string(), blob: z.string() }),
]);

/** Seals a text for a topic, or a queue, of a session. Rejects if the engine is away, or it is over 8 MiB. */
export async function sealMessage(
  { putBlob }: Pick<Carrier, "putBlob">,
  sealer: Sealer,
  session: string,
  topic: string,
  text: string,
): Promise<string> {
  const sealed = sealer.seal(topic, text);
  if (sealed.length <= INLINE_CHARS) return JSON.stringify({ session, sealed });
  return JSON.stringify({ session, blob: await putBlob(Buffer.from(sealed)) });
}

/**
 * Opens what `sealMessage` made; null if another key or topic sealed it, or its blob is gone. `sealerOf` gives the key of the session that the
 * message names.
 */
export async function openMessage(
  { getBlob }: Pick<Carrier, "getBlob">,
  sealerOf: (session: string) => Sealer | null,
  topic: string,
  raw: string,
): Promise<{ readonly session: string; readonly value: unknown } | null> {
  const envelope = z.safeParse(Envelope, parsed(raw));
  if (!envelope.success) return null;
  const { session } = envelope.data;
  const sealer = sealerOf(session);
  if (sealer === null) return null;
  const sealed = "sealed" in envelope.data ? envelope.data.sealed : textOf(await getBlob(envelope.data.blob));
  const text = sealed === null ? null : sealer.open(topic, sealed);
  return text === null ? null : { session, value: parsed(text) };
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
