import type { ImageType } from "./file-kind.ts";
import { imageBlock, type Shown } from "./image-block.ts";
import { messageOf, PASS_OVER } from "./paths.ts";
import { loadPictures, MAX_IMAGE_BYTES } from "./pictures.ts";
import { knownEntry } from "./read-guard.ts";
import type { RegularFile } from "./regular-file.ts";
import { failed, type ReadContext, type ToolFailure } from "./tool.ts";

/** An image file as an image. What is scaled down is said, because positions in it are then others. */
export async function readImage(
  { file, path, stats }: RegularFile,
  mediaType: ImageType,
  context: ReadContext,
): Promise<Shown | ToolFailure> {
  if (stats.size > MAX_IMAGE_BYTES)
    return failed(`${path} is an image of ${stats.size} bytes; images are shown up to ${MAX_IMAGE_BYTES}.`);
  const pictures = await loadPictures();
  if (pictures === null)
    return failed(
      `${path} is an image, and the package that shows images (sharp) is not there for this system.`,
    );
  const bytes = await file.readFile();
  context.signal.throwIfAborted();
  try {
    const picture = await pictures.fit(bytes, mediaType);
    context.reads.record(knownEntry(path, stats, bytes));
    const from = picture.scaledFrom;
    const scaled = from
      ? `[Scaled down from ${from.width} x ${from.height} to ${picture.width} x ${picture.height} pixels.]`
      : null;
    return { blocks: [imageBlock(picture), ...(scaled ? [{ type: "text" as const, text: scaled }] : [])] };
  } catch (error) {
    return failed(
      `${path} is an image that cannot be shown (damaged, or of an unknown kind): ${messageOf(error)}. ${PASS_OVER}`,
    );
  }
}
