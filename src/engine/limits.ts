import { hash } from "node:crypto";
import type { Carrier } from "./carrier.ts";

/** Version of everything that crosses: part of each queue's name and topic, so that two versions never read each other. */
export const WIRE = 2;

export const MAX_TEXT_BYTES = 256 * 1024;
export const MAX_BLOB_BYTES = 8 * 1024 * 1024;

/** The engine does not answer. The same call may succeed later, and what it asked for may have been done. */
export class EngineAwayError extends Error {}

/** Throws if a topic is not segments of letters, digits, `-` and `_`, joined by dots. */
export function assertTopic(topic: string): void {
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(topic) || topic.length > 200)
    throw new Error(`"${topic}" is not a topic: it takes letters, digits, "-" and "_", joined by dots.`);
}

/** Throws if the name of a queue, or an attempt's ID, has other characters than a queue's name may have. */
export function assertName(name: string): void {
  if (!/^[\w.@-]{1,128}$/.test(name))
    throw new Error(`"${name}" is not a name: those have up to 128 letters, digits, "-", "_", "." and "@".`);
}

/** Throws if a text is larger than a message may be. */
export function assertText(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_TEXT_BYTES)
    throw new Error(
      `A message of ${bytes} bytes is too large: up to ${MAX_TEXT_BYTES} fit. Send it as a blob.`,
    );
}

/** Returns the name under which bytes are kept: whose they are, and their hash. Throws if they are too many. */
export function nameBlob(owner: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_BLOB_BYTES)
    throw new Error(`${bytes.length} bytes are too many for the engine: a blob has up to ${MAX_BLOB_BYTES}.`);
  return `${blobsOf(owner)}${hash("sha256", bytes)}`;
}

/** How the names of an owner's blobs begin. */
export function blobsOf(owner: string): string {
  return `${owner}.`;
}

/** False if these are not the bytes that were kept under that name. */
export function isBlob(name: string, bytes: Uint8Array): boolean {
  const owner = name.slice(0, name.lastIndexOf("."));
  return bytes.length <= MAX_BLOB_BYTES && nameBlob(owner, bytes) === name;
}

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
