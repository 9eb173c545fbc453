import { writeFileSync } from "node:fs";
import { ContentBlockSchema, type EmbeddedResource } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { errorMessage } from "../../lib/errors.ts";
import { canonicalJson } from "../../lib/json.ts";
import type { Picture, ToolResultContent } from "../../mailbox/conversation.ts";
import { stripControls } from "./server-text.ts";

/** The Messages API takes no larger image. */
export const MAX_IMAGE_CHARS = 5 * 1024 * 1024;
/** A request has a limit of its own, and other results are in it too. */
export const MAX_IMAGES_CHARS = 10 * 1024 * 1024;
/** A long result is shown as its beginning and its end; this share is the beginning. */
const BEGINNING = 0.7;
/** A shorter string can be in a text by chance. */
const LONG_CHARS = 20;
/** Characters in which repeated strings are looked for: a server must not make the broker compare for seconds. */
const MAX_COMPARED = 50_000;

const ImageType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export type Block = { readonly type: "text"; readonly text: string } | Picture;

export interface RawResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
}

/**
 * Returns a result for a model: images stay images, other content becomes text. Servers send structured content as text
 * too, for clients that do not know it; what says all that the other says is shown alone.
 */
export function readContent({ content = [], structuredContent: data }: RawResult): readonly Block[] {
  const blocks = content.map(readBlock);
  if (data === undefined || data === null) return blocks;
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (texts.length > 0 && isInTexts(data, new Set(texts))) return blocks;
  const json = JSON.stringify(data, null, 2);
  if (isInData(texts, data)) return [text(json), ...imagesIn(blocks)];
  return [...blocks, text(withoutRepeated(data, texts.join("\n"), json))];
}

/** Returns the JSON of data without the long strings that a text above it has. */
function withoutRepeated(data: unknown, above: string, json: string): string {
  if (above.length + json.length > MAX_COMPARED) return json;
  const isRepeated = (value: unknown) =>
    typeof value === "string" && value.length > LONG_CHARS && above.includes(value);
  return JSON.stringify(data, (_, value: unknown) => (isRepeated(value) ? "(as above)" : value), 2);
}

function readBlock(raw: unknown): Block {
  const { data } = ContentBlockSchema.safeParse(raw);
  switch (data?.type) {
    case undefined:
      return text("[A part of the result is left out: it is not valid MCP content.]");
    case "text":
      return text(data.text);
    case "image":
      return imageBlock(data.data, data.mimeType);
    case "audio":
      return text(`[Audio (${data.mimeType}, ${formatSize(data.data)}) is left out.]`);
    case "resource":
      return resourceBlock(data.resource);
    case "resource_link": {
      const { uri, name, description, mimeType } = data;
      const about = [mimeType, description].filter(Boolean).join("; ");
      return text(`[Resource ${name}: ${uri}${about === "" ? "" : ` (${about})`}]`);
    }
    default:
      return data satisfies never;
  }
}

export function resourceBlock(resource: EmbeddedResource["resource"]): Block {
  const { uri, mimeType = "" } = resource;
  if ("text" in resource) return text(`[Resource ${uri}]\n${resource.text}`);
  if (z.safeParse(ImageType, mimeType).success) return imageBlock(resource.blob, mimeType);
  const size = formatSize(resource.blob);
  return text(`[Resource ${uri} (${mimeType || "binary"}, ${size}) is left out: it is not text.]`);
}

function imageBlock(data: string, mimeType: string): Block {
  const { data: type } = z.safeParse(ImageType, mimeType);
  const about = `${mimeType}, ${formatSize(data)}`;
  if (type === undefined)
    return text(`[An image (${about}) is left out: only png, jpeg, gif and webp are shown.]`);
  if (data.length > MAX_IMAGE_CHARS)
    return text(
      `[An image (${about}) is left out: more than ${MAX_IMAGE_CHARS / 1024 / 1024} MB as base64 is not shown.]`,
    );
  // The API refuses the line breaks that servers may put in.
  const canonical = Buffer.from(data, "base64").toString("base64");
  return { type: "image", source: { type: "base64", media_type: type, data: canonical } };
}

function text(content: string): Block {
  return { type: "text", text: stripControls(content) };
}

function formatSize(base64: string): string {
  return `${Math.ceil((base64.length * 3) / 4 / 1024)} KB`;
}

export function imagesIn(blocks: readonly Block[]): readonly Picture[] {
  return blocks.filter((block) => block.type === "image");
}

export function joinTexts(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** Shows the ends of a long text, and writes the whole to `output`, a new file, if it is not null. */
export function boundResult(
  blocks: readonly Block[],
  maxChars: number,
  output: string | null,
): ToolResultContent {
  const whole = joinTexts(blocks);
  const shown =
    whole.length <= maxChars ? blocks : [text(shortenText(whole, maxChars, output)), ...imagesIn(blocks)];
  const bounded = dropImages(shown);
  if (bounded.length === 0) return "(The server answered with nothing.)";
  return bounded.every(({ type }) => type === "text") ? joinTexts(bounded) : [...bounded];
}

function shortenText(whole: string, maxChars: number, output: string | null): string {
  const head = Math.floor(maxChars * BEGINNING);
  const note = `[… ${whole.length - maxChars} characters are left out here. ${saveWhole(whole, output)} …]`;
  const [begin, end] = [whole.slice(0, head), whole.slice(head - maxChars)];
  return `${begin.toWellFormed()}\n\n${note}\n\n${end.toWellFormed()}`;
}

function saveWhole(whole: string, output: string | null): string {
  const narrow = "Ask for less, if the tool allows it.";
  if (output === null) return `The whole is not kept. ${narrow}`;
  try {
    writeFileSync(output, whole, { mode: 0o600, flag: "wx" });
    return `The whole result (${whole.length} characters) is in ${output}: read or search that file for the rest.`;
  } catch (error) {
    return `The whole could not be kept (${errorMessage(error)}). ${narrow}`;
  }
}

function dropImages(blocks: readonly Block[]): readonly Block[] {
  let chars = 0;
  return blocks.map((block) => {
    if (block.type !== "image") return block;
    chars += block.source.data.length;
    return chars <= MAX_IMAGES_CHARS
      ? block
      : text("[A further image is left out: together they are too large.]");
  });
}

/** True if a text is the JSON of the data, or each value in the data is a text. */
function isInTexts(data: unknown, texts: ReadonlySet<string>): boolean {
  const whole = canonicalJson(data);
  const isValue = (value: unknown): boolean =>
    typeof value === "object" && value !== null
      ? Object.values(value).every(isValue)
      : texts.has(String(value));
  return [...texts].some((text) => canonicalText(text) === whole) || isValue(data);
}

/** True if each text is a value of the data or the JSON of one, at most two levels down: then the data says all. */
function isInData(texts: readonly string[], data: unknown): boolean {
  const levels = [[data], partsOf(data), partsOf(data).flatMap(partsOf)].flat();
  const values = new Set(levels.map((part) => (typeof part === "string" ? part : canonicalJson(part))));
  return texts.every((text) => values.has(text) || values.has(canonicalText(text) ?? text));
}

function partsOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function canonicalText(text: string): string | null {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return null;
  }
}
