import type { Sharp } from "sharp";
import type { ImageType } from "./file-kind.ts";

/**
 * The API takes 5 MB of base64 and 8,000 pixels a side, but of a request with more than 20 images only 2,000; a
 * conversation keeps its images, so the smaller number counts. One that is larger becomes as large as models
 * look at anyway.
 */
export const MAX_IMAGE_EDGE = 2_000;
export const SCALED_EDGE = 1_568;
export const MAX_IMAGE_BASE64 = 5 * 1024 * 1024;
/** Larger files are not decoded. */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

export interface Picture {
  readonly mediaType: ImageType;
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Its size before it was scaled down; null: it was not. */
  readonly scaledFrom: { readonly width: number; readonly height: number } | null;
}

/** What makes pictures fit; null where there is none of it for this system. */
export async function loadPictures(): Promise<Pictures | null> {
  try {
    const { default: sharp } = await import("sharp");
    return new Pictures(sharp);
  } catch {
    // Not installed, or nothing for this system: then there are no pictures, and whoever asked says so.
    return null;
  }
}

type SharpPackage = typeof import("sharp").default;

/** The one place that knows the image library. */
export class Pictures {
  readonly #sharp: SharpPackage;

  constructor(sharp: SharpPackage) {
    this.#sharp = sharp;
  }

  /**
   * The picture as it is, or smaller. Rejects where it is damaged: the API would refuse it, and with it every
   * later request of the conversation.
   */
  async fit(bytes: Uint8Array, mediaType: ImageType): Promise<Picture> {
    const { width, height } = (await this.#open(bytes).metadata()).autoOrient;
    if (isSmall(bytes) && Math.max(width, height) <= MAX_IMAGE_EDGE) {
      // Decoded to the end, though only a little of it is kept.
      await this.#open(bytes).resize(8, 8, { fit: "fill" }).raw().toBuffer();
      return { mediaType, bytes, width, height, scaledFrom: null };
    }
    const scaled = () =>
      this.#open(bytes)
        .autoOrient()
        .resize(SCALED_EDGE, SCALED_EDGE, { fit: "inside", withoutEnlargement: true });
    const lossless = mediaType === "image/jpeg" ? null : await encoded(scaled().png(), "image/png");
    const picture = lossless && isSmall(lossless.bytes) ? lossless : await jpeg(scaled());
    return { ...picture, scaledFrom: { width, height } };
  }

  /** Rows of pixels, four bytes each (red, green, blue, alpha). */
  async fromPixels(data: Uint8Array, width: number, height: number): Promise<Picture> {
    const picture = await jpeg(this.#sharp(data, { raw: { width, height, channels: 4 } }));
    return { ...picture, scaledFrom: null };
  }

  #open(bytes: Uint8Array): Sharp {
    return this.#sharp(bytes, { failOn: "error" });
  }
}

function isSmall(bytes: Uint8Array): boolean {
  return Math.ceil(bytes.length / 3) * 4 <= MAX_IMAGE_BASE64;
}

function jpeg(image: Sharp): Promise<Omit<Picture, "scaledFrom">> {
  return encoded(image.flatten({ background: "white" }).jpeg({ quality: 80 }), "image/jpeg");
}

async function encoded(image: Sharp, mediaType: ImageType): Promise<Omit<Picture, "scaledFrom">> {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { mediaType, bytes: data, width: info.width, height: info.height };
}
