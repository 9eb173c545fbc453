import type { ImageType } from "./file-kind.ts";
import { imageBlock, type Shown } from "./image-block.ts";
import { loadImages, MAX_IMAGE_BYTES } from "./images.ts";
import { bareMessage, PASS_OVER } from "./paths.ts";
import { knownEntry } from "./read-guard.ts";
import type { OpenRegularFile } from "./regular-file.ts";
import { failed, type ReadContext, type ToolFailure } from "./tool.ts";

/** Shows an image file. The result says if it was scaled down, because positions in it have then changed. */
export async function readImage(
  { file, path, stats }: OpenRegularFile,
  mediaType: ImageType,
  context: ReadContext,
): Promise<Shown | ToolFailure> {
  if (stats.size > MAX_IMAGE_BYTES)
    return failed(`${path} is an image of ${stats.size} bytes; images are shown up to ${MAX_IMAGE_BYTES}.`);
  const images = await loadImages();
  if (images === null)
    return failed(
      `${path} is an image, and the package that shows images (sharp) is not installed for this system.`,
    );
  const bytes = await file.readFile();
  context.signal.throwIfAborted();
  try {
    const image = await images.fit(bytes, mediaType);
    context.reads.record(knownEntry(path, stats, bytes));
    const from = image.scaledFrom;
    const scaled = from
      ? `[Scaled down from ${from.width} x ${from.height} to ${image.width} x ${image.height} pixels.]`
      : null;
    return { blocks: [imageBlock(image), ...(scaled ? [{ type: "text" as const, text: scaled }] : [])] };
  } catch (error) {
    return failed(
      `${path} is an image that cannot be shown (damaged, or of an unknown kind): ${bareMessage(error)}. ${PASS_OVER}`,
    );
  }
}
