/** Images the Messages API takes. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type FileKind =
  | { readonly type: "image"; readonly mediaType: ImageType }
  | { readonly type: "document" }
  | { readonly type: "notebook" }
  /** Probably text. */
  | { readonly type: "other" };

/** Bytes at the start of a file that show its kind. */
export const KIND_BYTES = 16;

/** Returns the kind of a file by its first bytes, not its name: a Git LFS pointer is text named `.png`. */
export function fileKind(path: string, start: Uint8Array): FileKind {
  const text = Buffer.from(start).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return { type: "image", mediaType: "image/png" };
  if (text.startsWith("\xff\xd8\xff")) return { type: "image", mediaType: "image/jpeg" };
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a"))
    return { type: "image", mediaType: "image/gif" };
  if (text.startsWith("RIFF") && text.startsWith("WEBP", 8))
    return { type: "image", mediaType: "image/webp" };
  if (text.startsWith("%PDF-")) return { type: "document" };
  return { type: path.toLowerCase().endsWith(".ipynb") ? "notebook" : "other" };
}
