import * as z from "zod/mini";
import type { Picture } from "../../mailbox/conversation.ts";
import { printable } from "./tail-text.ts";

/** The Messages API takes no larger image. */
export const MAX_IMAGE_CHARS = 5 * 1024 * 1024;
/** A request has a limit of its own, and other results are in it too. */
export const MAX_IMAGES_CHARS = 10 * 1024 * 1024;

const ImageType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const Inner = z.looseObject({
  uri: z.string(),
  mimeType: z.optional(z.string()),
  text: z.optional(z.string()),
  blob: z.optional(z.string()),
});

const Content = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal("audio"), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal("resource"), resource: Inner }),
  z.looseObject({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: z.string(),
    description: z.optional(z.string()),
    mimeType: z.optional(z.string()),
  }),
]);

/** What a server answers a call with; every part of it may be something else. */
export const RawResult = z.looseObject({
  content: z.optional(z.array(z.unknown())),
  structuredContent: z.optional(z.unknown()),
  isError: z.optional(z.boolean()),
});
export type RawResult = z.infer<typeof RawResult>;

/** A piece of a result as a model takes it. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly block: Picture; readonly chars: number };

/** The pieces of a result: images stay images, everything else becomes text. */
export function piecesOf({ content = [], structuredContent }: RawResult): readonly Piece[] {
  const pieces = content.map(pieceOf);
  if (structuredContent === undefined || structuredContent === null) return pieces;
  // Servers are told to say it as text too, for clients that do not know better.
  const said = pieces.some((piece) => piece.type === "text" && says(piece.text, structuredContent));
  return said ? pieces : [...pieces, text(JSON.stringify(structuredContent, null, 2))];
}

function pieceOf(raw: unknown): Piece {
  const parsed = z.safeParse(Content, raw);
  if (!parsed.success) return text(`[A part of the result is left out: it is nothing the protocol knows.]`);
  const { data } = parsed;
  switch (data.type) {
    case "text":
      return text(data.text);
    case "image":
      return imagePiece(data.data, data.mimeType);
    case "audio":
      return text(`[Audio (${data.mimeType}, ${bytesOf(data.data)}) is left out.]`);
    case "resource":
      return resourcePiece(data.resource);
    case "resource_link": {
      const { uri, name, description, mimeType } = data;
      const about = [mimeType, description].filter(Boolean).join("; ");
      return text(`[Resource ${name}: ${uri}${about === "" ? "" : ` (${about})`}]`);
    }
    default:
      return data satisfies never;
  }
}

/** The content of one resource, with its address where it stands among other things. */
export function resourcePiece(raw: unknown): Piece {
  const parsed = z.safeParse(Inner, raw);
  if (!parsed.success) return text("[A resource is left out: it is nothing the protocol knows.]");
  const { uri, mimeType = "", text: words, blob } = parsed.data;
  if (words !== undefined) return text(`[Resource ${uri}]\n${words}`);
  if (blob !== undefined && z.safeParse(ImageType, mimeType).success) return imagePiece(blob, mimeType);
  const size = blob === undefined ? "nothing in it" : bytesOf(blob);
  return text(`[Resource ${uri} (${mimeType || "binary"}, ${size}) is left out: it is no text.]`);
}

/** No pattern that repeats over megabytes: it may need more stack than there is. */
function isBase64(data: string): boolean {
  const digits = data.replace(/={1,2}$/, "");
  return digits !== "" && !/[^A-Za-z0-9+/]/.test(digits);
}

function imagePiece(data: string, mimeType: string): Piece {
  const type = z.safeParse(ImageType, mimeType);
  const why = !type.success
    ? "only png, jpeg, gif and webp are shown"
    : data.length > MAX_IMAGE_CHARS
      ? `more than ${MAX_IMAGE_CHARS / 1024 / 1024} MB as base64 is not shown`
      : isBase64(data)
        ? null
        : "it is no base64";
  if (!type.success || why !== null)
    return text(`[An image (${mimeType}, ${bytesOf(data)}) is left out: ${why}.]`);
  const block: Picture = { type: "image", source: { type: "base64", media_type: type.data, data } };
  return { type: "image", block, chars: data.length };
}

function text(words: string): Piece {
  return { type: "text", text: printable(words) };
}

function bytesOf(base64: string): string {
  return `${Math.ceil((base64.length * 3) / 4 / 1024)} KB`;
}

/** Whether a text is this value, or the only thing in it: many servers wrap what they say as `{ result }`. */
function says(words: string, value: unknown): boolean {
  if (words === value || isJsonOf(words, value)) return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const [only, ...others]: unknown[] = Object.values(value);
  return others.length === 0 && (words === only || isJsonOf(words, only));
}

function isJsonOf(words: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(words)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
