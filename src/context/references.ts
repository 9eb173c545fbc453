import { hash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { expandHome, isPathInside } from "../lib/paths.ts";
import type { Picture } from "../mailbox/conversation.ts";
import type { ReadEntry } from "../mailbox/messages.ts";
import { attribute, escapeTags } from "./escape-tags.ts";
import { digestOf, type Fact } from "./facts.ts";
import type { Files } from "./files.ts";
import { blankCodeBlocks, blankInlineCode } from "./markdown/blank-code.ts";

/** Bytes of one file, and of all files that a prompt names. */
const FILE_BYTES = 64 * 1024;
const PROMPT_BYTES = 256 * 1024;
const MOST_FILES = 20;
/** Names that are looked for, whether they exist or not. */
const MOST_NAMES = 100;
const MOST_LINES = 2_000;
/** Shown as pages or cells, not as lines. */
const DOCUMENT_NAME = /\.(?:pdf|ipynb)$/i;
const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;

/** The files that a prompt may name. */
export interface Workspace {
  readonly cwd: string;
  /** The session's directories, including `cwd`. */
  readonly folders: readonly string[];
  readonly homedir: string;
  /** A rule keeps this file from being read. */
  readonly denied: (path: string) => boolean;
}

/** A file that a prompt names, as an attachment. */
export interface Reference {
  readonly fact: Fact;
  /** Its entry for the read ledger. */
  readonly read?: ReadEntry;
  readonly picture?: Picture;
  /** Its path, if only the code of Read can show it. */
  readonly document?: string;
  readonly pictures?: readonly Picture[];
}

/** What Read shows of a document: its text, or why it cannot be shown, and its images. */
export interface ShownDocument {
  readonly text: string;
  readonly pictures: readonly Picture[];
  readonly read?: ReadEntry;
}

/** The same of several files together. */
export interface References {
  readonly facts: readonly Fact[];
  readonly reads: readonly ReadEntry[];
  readonly pictures: readonly Picture[];
}

export function joinReferences(references: readonly Reference[]): References {
  return {
    facts: references.map(({ fact }) => fact),
    reads: references.flatMap(({ read = [] }) => read),
    pictures: references.flatMap(({ picture = [], pictures = [] }) => [picture, pictures].flat()),
  };
}

/** Returns the reference to a document with what Read shows of it. */
export function withDocument({ fact, document = "" }: Reference, shown: ShownDocument): Reference {
  const { text: said, pictures, read } = shown;
  const text = `The prompt names this file; as Read shows it now:\n<file path="${attribute(document)}">\n${escapeTags(said)}\n</file>`;
  const digest = digestOf(text + pictures.map(({ source }) => source.data).join(""));
  return { fact: { ...fact, digest, text }, pictures, ...(read ? { read } : {}) };
}

/** Returns an image that comes with a prompt, and the mark by which the prompt's text can name it. */
export function imageReference(picture: Picture): Reference & { readonly mark: string } {
  const digest = digestOf(picture.source.data);
  const mark = `[image ${digest.slice(0, 6)}]`;
  return {
    mark,
    picture,
    fact: { key: `image:${digest}`, digest, text: `${mark} of the prompt is attached.` },
  };
}

/**
 * Returns the files that a prompt names as `@path` or `@"path with spaces"`, as Read would show them. Only those of the
 * workspace, because a prompt may be foreign text, such as a diff on stdin. Any other name is text.
 */
export function referencesIn(prompt: string, workspace: Workspace, files: Files): readonly Reference[] {
  const found = new Map<string, Reference>();
  let left = PROMPT_BYTES;
  for (const spellings of namesIn(prompt)) {
    if (found.size >= MOST_FILES) break;
    const path = spellings
      .map((spelling) => importedPath(spelling, `${workspace.cwd}/.`, workspace.homedir))
      .find((one) => files.look(one).type !== "none");
    if (path === undefined) continue;
    const real = files.real(path);
    const isInside = workspace.folders.some((folder) => isPathInside(real, files.real(folder)));
    if (!isInside || found.has(real) || workspace.denied(real)) continue;
    const { text, ...shown } = shownFile(path, Math.min(FILE_BYTES, left), files);
    left -= text.length;
    const digest = digestOf(text + (shown.picture?.source.data ?? ""));
    found.set(real, { fact: { key: `file:${path}`, digest, text }, ...shown });
  }
  return [...found.values()];
}

function namesIn(prompt: string): (readonly string[])[] {
  const quoted = [...prompt.matchAll(/(?:^|\s)@"([^"\n]+)"/g)].map(([, path = ""]) => [path]);
  return [...quoted, ...importsIn(prompt, MOST_NAMES)];
}

interface ShownFile {
  readonly text: string;
  readonly document?: string;
  readonly read?: ReadEntry;
  readonly picture?: Picture;
}

function shownFile(path: string, most: number, files: Files): ShownFile {
  const look = files.look(path);
  const bytes =
    look.type === "file" && IMAGE_NAME.test(path) ? files.bytes(path, MAX_SENT_IMAGE_BYTES) : null;
  const picture = bytes === null ? null : detectImage(bytes);
  if (picture !== null && look.type === "file") {
    const text = `The prompt names the image ${escapeTags(path)}, which is attached.`;
    return { text, picture };
  }
  if (look.type === "file" && DOCUMENT_NAME.test(path))
    return { text: `The prompt names ${escapeTags(path)}: look at it with Read.`, document: path };
  const content = look.type === "file" ? files.read(path, most) : null;
  if (content?.type !== "text" || look.type !== "file") {
    const why = content?.type === "unusable" ? content.reason : "is not a regular file";
    return {
      text: `The prompt names ${escapeTags(path)}, which is not shown here (it ${why}): use Read for an image or a document, Glob for a directory.`,
    };
  }
  const isCut = content.bytes > Buffer.byteLength(content.text);
  const all = content.text.split("\n");
  // After the last line feed there is no line; in a cut file, no complete one.
  if (all.at(-1) === "" || isCut) all.pop();
  const lines = all.slice(0, MOST_LINES);
  const numbered = lines.map((line, at) => `${at + 1}\t${line}`).join("\n");
  const more = isCut || lines.length < all.length;
  const end = more ? `\n[The file is longer. Read it with offset ${lines.length + 1} for the rest.]` : "";
  return {
    text: `The prompt names this file; as Read would show it now:\n<file path="${attribute(path)}">\n${escapeTags(numbered)}${end}\n</file>`,
    ...(lines.length === 0
      ? {}
      : {
          read: {
            ...{ path: content.real, size: look.size, mtimeMs: look.mtimeMs, inode: look.inode },
            digest: hash("sha256", lines.join("\n"), "hex"),
            lines: { from: 1, count: lines.length },
          },
        }),
  };
}

/** Bytes of an image that is sent as it is; Read scales larger ones down. */
const MAX_SENT_IMAGE_BYTES = 3 * 1024 * 1024;

/** Returns an image by its first bytes; null if it is not an image that models take, or too large to be sent. */
export function detectImage(bytes: Uint8Array): Picture | null {
  const media_type = mediaTypeOf(Buffer.from(bytes.subarray(0, 16)).toString("latin1"));
  if (media_type === null || bytes.length > MAX_SENT_IMAGE_BYTES) return null;
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

/**
 * Returns at most `most` files that a text names as `@path`, in their order: at the beginning of a line or after a space,
 * and not in code. Each has the spellings to try, because a sentence may end right after a path.
 */
export function importsIn(text: string, most: number): (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  const prose = blankInlineCode(blankCodeBlocks(text));
  for (const [, name = ""] of prose.matchAll(/(?:^|\s)@((?:\\ |[^\s\\])+)/gm)) {
    if (found.size >= most) break;
    const path = name.replaceAll("\\ ", " ").replace(/#.*$/, "");
    if (/^(?:\.{1,2}\/|~\/|\/[^/]|[\p{L}\p{N}._-])/u.test(path)) found.set(path, spellings(path));
  }
  return [...found.values()];
}

/** Returns the path of an import of this file. */
export function importedPath(spelling: string, importer: string, homedir: string): string {
  return resolve(dirname(importer), expandHome(spelling, homedir));
}

function spellings(path: string): readonly string[] {
  const bare = path.replace(/[.,;:!?)\]}'"*_]+$/, "");
  return bare === "" || bare === path ? [path] : [path, bare];
}
