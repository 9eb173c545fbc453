import type { Carrier } from "./carrier.ts";
import { MAX_BLOB_BYTES } from "./limits.ts";

const JOINT = "+";

/** Keeps bytes as one blob, or as several if they are too many for one. Returns the name of all. */
export async function putParts(
  carrier: Pick<Carrier, "putBlob">,
  owner: string,
  bytes: Uint8Array,
): Promise<string> {
  const names: string[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_BLOB_BYTES)
    names.push(await carrier.putBlob(owner, bytes.subarray(at, at + MAX_BLOB_BYTES)));
  return names.join(JOINT);
}

/** Returns null if the engine does not have all of them. */
export async function getParts(carrier: Pick<Carrier, "getBlob">, name: string): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  for (const part of name.split(JOINT)) {
    const bytes = await carrier.getBlob(part);
    if (bytes === null) return null;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** Never rejects: what stays is removed by its age. */
export async function dropParts(carrier: Pick<Carrier, "dropBlob">, name: string): Promise<void> {
  for (const part of name.split(JOINT)) await carrier.dropBlob(part).catch(() => {});
}
