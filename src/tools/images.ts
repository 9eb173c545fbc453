import type { Sharp } from "sharp";
import type { ImageType } from "./regular-file.ts";

/**
 * The API takes 5 MB of base64 and 8,000 pixels a side, but only 2,000 in a request with more than 20 images; a
 * conversation keeps its images, so the smaller number counts. A larger image is scaled to the size that models use.
 */
export const MAX_IMAGE_EDGE = 2_000;
export const SCALED_EDGE = 1_568;
export const MAX_IMAGE_BASE64 = 5 * 1024 * 1024;
/** Larger files are not decoded. */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

export interface FittedImage {
  readonly mediaType: ImageType;
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Its size before it was scaled down; null if it was not. */
  readonly scaledFrom: { readonly width: number; readonly height: number } | null;
}

/** Loads the image library; null if it is not available on this system. */
export async function loadImages(): Promise<Images | null> {
  try {
    const { default: sharp } = await import("sharp");
    return new Images(sharp);
  } catch {
    // Not installed, or no binary for this system; the caller reports it.
    return null;
  }
}

type SharpPackage = typeof import("sharp").default;

/** The only code that knows the image library. */
export class Images {
  readonly #sharp: SharpPackage;

  constructor(sharp: SharpPackage) {
    this.#sharp = sharp;
  }

  /**
   * Returns the image as it is, or scaled down. Rejects if it is damaged: the API would refuse it, and every later
   * request of the conversation.
   */
  async fit(bytes: Uint8Array, mediaType: ImageType): Promise<FittedImage> {
    const { width, height } = (await this.#open(bytes).metadata()).autoOrient;
    if (isSmall(bytes) && Math.max(width, height) <= MAX_IMAGE_EDGE) {
      // Decodes all of it, to find damage.
      await this.#open(bytes).resize(8, 8, { fit: "fill" }).raw().toBuffer();
      return { mediaType, bytes, width, height, scaledFrom: null };
    }
    const scaled = () =>
      this.#open(bytes)
        .autoOrient()
        .resize(SCALED_EDGE, SCALED_EDGE, { fit: "inside", withoutEnlargement: true });
    const lossless = mediaType === "image/jpeg" ? null : await encoded(scaled().png(), "image/png");
    const image = lossless && isSmall(lossless.bytes) ? lossless : await jpeg(scaled());
    return { ...image, scaledFrom: { width, height } };
  }

  /** Rows of pixels, four bytes each (red, green, blue, alpha). */
  async fromPixels(data: Uint8Array, width: number, height: number): Promise<FittedImage> {
    const image = await jpeg(this.#sharp(data, { raw: { width, height, channels: 4 } }));
    return { ...image, scaledFrom: null };
  }

  #open(bytes: Uint8Array): Sharp {
    return this.#sharp(bytes, { failOn: "error" });
  }
}

function isSmall(bytes: Uint8Array): boolean {
  return Math.ceil(bytes.length / 3) * 4 <= MAX_IMAGE_BASE64;
}

function jpeg(image: Sharp): Promise<Omit<FittedImage, "scaledFrom">> {
  return encoded(image.flatten({ background: "white" }).jpeg({ quality: 80 }), "image/jpeg");
}

async function encoded(image: Sharp, mediaType: ImageType): Promise<Omit<FittedImage, "scaledFrom">> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { mediaType, bytes: data, width: info.width, height: info.height };
}

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
