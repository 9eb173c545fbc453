import * as z from "zod/mini";
import { parseJson } from "../lib/json.ts";
import type { Carrier } from "./carrier.ts";
import { dropParts, getParts, putParts } from "./limits.ts";
import type { Seal } from "./seal.ts";

export type Sealer = Seal;

/** Characters of a message that travel as they are; more become a blob, and the message names it. */
const INLINE_CHARS = 192 * 1024;

/** `session`: by which its key is derived. */
const Envelope = z.union([
  z.object({ session: z.string(), sealed: z.string() }),
  z.object({ session: z.string(), blob: z.string() }),
]);

/** Seals a text for a topic, or a queue, of a session. Rejects if the engine is away. */
export async function sealMessage(
  carrier: Pick<Carrier, "putBlob">,
  sealer: Sealer,
  session: string,
  topic: string,
  text: string,
): Promise<string> {
  return (await packSealed(carrier, session, sealer.seal(topic, text))).raw;
}

/** Makes a sealed text ready to travel. `blob`: the name of the one that holds it, whose sender removes it if its receiver does not. */
export async function packSealed(
  carrier: Pick<Carrier, "putBlob">,
  session: string,
  sealed: string,
): Promise<{ readonly raw: string; readonly blob: string | null }> {
  if (sealed.length <= INLINE_CHARS) return { raw: JSON.stringify({ session, sealed }), blob: null };
  const blob = await putParts(carrier, session, Buffer.from(sealed, "base64"));
  return { raw: JSON.stringify({ session, blob }), blob };
}

interface Opened {
  readonly session: string;
  readonly value: unknown;
}

/**
 * Opens what `sealMessage` made; null if another key or topic sealed it. Rejects if its blob is gone. `sealerOf` gives the
 * key of the session that the message names. `isOnlyReceiver`: nothing else opens it, so its blob is removed.
 */
export async function openMessage(
  carrier: Pick<Carrier, "getBlob" | "dropBlob">,
  sealerOf: (session: string) => Sealer | null,
  topic: string,
  raw: string,
  isOnlyReceiver = false,
): Promise<Opened | null> {
  const { success, data } = z.safeParse(Envelope, parseJson(raw));
  const sealer = success ? sealerOf(data.session) : null;
  if (!success || sealer === null) return null;
  const sealed = "sealed" in data ? data.sealed : await readBlob(carrier, data.blob);
  const text = sealer.open(topic, sealed);
  if (text === null) return null;
  const opened = { session: data.session, value: parseJson(text) };
  if (isOnlyReceiver && "blob" in data) await dropParts(carrier, data.blob);
  return opened;
}

async function readBlob(carrier: Pick<Carrier, "getBlob">, name: string): Promise<string> {
  const bytes = await getParts(carrier, name);
  if (bytes === null) throw new Error("the engine no longer has its text");
  return bytes.toString("base64");
}
