import { writeFileSync } from "node:fs";
import { ContentBlockSchema, type EmbeddedResource } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { errorMessage } from "../../lib/errors.ts";
import { canonicalJson, isObject } from "../../lib/json.ts";
import type { Picture, ToolResultContent } from "../../mailbox/conversation.ts";
import { stripControls } from "./server-text.ts";

/** The Messages API takes no larger image. */
export const MAX_IMAGE_CHARS = 5 * 1024 * 1024;
/** A request has a limit of its own, and other results are in it too. */
export const MAX_IMAGES_CHARS = 10 * 1024 * 1024;
/** A long result is shown as its beginning and its end; this share is the beginning. */
const BEGINNING = 0.7;

const ImageType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export type Block = { readonly type: "text"; readonly text: string } | Picture;

export interface RawResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
}

/**
 * Returns a result for a model: images stay images, other content becomes text. Servers send structured content as text
 * too, for clients that do not know it; what both have is shown once.
 */
export function readContent({ content = [], structuredContent: data }: RawResult): readonly Block[] {
  const blocks = content.map(readBlock);
  if (data === undefined || data === null) return blocks;
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const added = texts.length === 0 ? data : addedByData(texts, data);
  if (added === undefined) return blocks;
  if (isInData(texts, data)) return [text(JSON.stringify(data, null, 2)), ...imagesIn(blocks)];
  return [...blocks, text(JSON.stringify(added, null, 2))];
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

/** A shorter value can be in a text by chance: it counts only together with the name of its field. */
const TELLING_CHARS = 6;
/** Larger data is compared as a whole only: a server must not make the broker compare for seconds. */
const MAX_COMPARED = 50_000;

/**
 * Returns what data adds to texts, which often say the same: fields that they have are left out, and `undefined` means
 * that nothing remains. Lists keep their length, because a position can have a meaning.
 */
export function addedByData(texts: readonly string[], data: unknown): unknown {
  const whole = canonicalJson(data);
  if (texts.some((text) => text === data || canonicalText(text) === whole)) return;
  const said = words(texts.join("\n"));
  return said.length + whole.length > MAX_COMPARED ? data : unsaid(data, "", said);
}

/** True if each text is a value of the data or the JSON of one, at most two levels down: then the data says all. */
export function isInData(texts: readonly string[], data: unknown): boolean {
  const levels = [[data], partsOf(data), partsOf(data).flatMap(partsOf)].flat();
  const values = new Set(levels.map((part) => (typeof part === "string" ? part : canonicalJson(part))));
  return texts.every((text) => values.has(text) || values.has(canonicalText(text) ?? text));
}

function partsOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function unsaid(value: unknown, name: string, said: string): unknown {
  if (value === null) return;
  if (Array.isArray(value)) {
    const parts = value.map((part: unknown) => unsaid(part, name, said));
    if (parts.every((part) => part === undefined)) return;
    return parts.map((part, at): unknown => part ?? (isObject(value[at]) ? {} : value[at]));
  }
  if (isObject(value)) {
    const parts = Object.entries(value).map(([key, part]) => [key, unsaid(part, key, said)] as const);
    const left = parts.filter(([, part]) => part !== undefined);
    return left.length === 0 ? undefined : Object.fromEntries(left);
  }
  const own = words(String(value));
  const isTelling = own.length >= TELLING_CHARS || said.includes(words(name));
  return isTelling && said.includes(own) ? undefined : value;
}

/** Lower-case words with one space around each: other punctuation is another way to say the same. */
function words(text: string): string {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return ` ${found.join(" ")} `;
}

function canonicalText(text: string): string | null {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return null;
  }
}
