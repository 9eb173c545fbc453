import type { ImageType } from "./file-kind.ts";

/** A block of a result, as in the Messages API. */
export type ShownBlock =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } };

/** What Read returns for a file that is not plain text. */
export interface Shown {
  readonly blocks: ShownBlock[];
}

export function imageBlock({
  mediaType,
  bytes,
}: {
  readonly mediaType: ImageType;
  readonly bytes: Uint8Array;
}): ShownBlock {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}
