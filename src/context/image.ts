import type { Picture } from "../mailbox/conversation.ts";

/** Bytes of an image that is sent as it is; Read scales larger ones down. */
export const MAX_SENT_IMAGE_BYTES = 3 * 1024 * 1024;

/** Returns an image by its first bytes; null if it is not an image that models take. */
export function detectImage(bytes: Uint8Array): Picture | null {
  const media_type = mediaTypeOf(Buffer.from(bytes.subarray(0, 16)).toString("latin1"));
  if (media_type === null) return null;
  return {
    type: "image",
    source: { type: "base64", media_type, data: Buffer.from(bytes).toString("base64") },
  };
}

function mediaTypeOf(start: string): Picture["source"]["media_type"] | null {
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  return start.startsWith("RIFF") && start.startsWith("WEBP", 8) ? "image/webp" : null;
}
