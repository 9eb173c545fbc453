/** One value of a git configuration file. */
export interface GitSetting {
  /** Section and name in lower case, with the subsection as written between them: `filter.LFS.clean`. */
  readonly key: string;
  /** The text after the first `=`; `true` without one. */
  readonly value: string;
}

/** What follows a backslash in a value. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  b: "\b",
  '"': '"',
  "\\": "\\",
};
const NAME = /^[A-Za-z][A-Za-z0-9-]*/;
const SECTION = /^\[\s*([A-Za-z0-9.-]+)(?:[^\S\n]+"((?:[^"\\\n]|\\[^\n])*)")?[^\S\n]*\]/;

/** Parses a configuration like git, without running git; returns null if git would refuse it, or might. */
export function gitSettingsIn(text: string): readonly GitSetting[] | null {
  const settings: GitSetting[] = [];
  let rest = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let section: string | null = null;
  for (;;) {
    rest = rest.replace(/^(?:\s+|[#;][^\n]*)+/, "");
    if (rest === "") return settings;
    const header = SECTION.exec(rest);
    if (header) {
      section = sectionOf(header[1] ?? "", header[2]);
      rest = rest.slice(header[0].length);
      continue;
    }
    const name = NAME.exec(rest)?.[0];
    if (name === undefined || section === null) return null;
    const read = valueIn(rest.slice(name.length));
    if (read === null) return null;
    settings.push({ key: `${section}.${name.toLowerCase()}`, value: read.value });
    rest = read.rest;
  }
}

function sectionOf(name: string, subsection: string | undefined): string {
  const section = name.toLowerCase();
  return subsection === undefined ? section : `${section}.${subsection.replace(/\\(.)/g, "$1")}`;
}

/** Parses the value after a name, and the rest after its line; returns null if git would not read it. */
function valueIn(text: string): { readonly value: string; readonly rest: string } | null {
  const sign = /^[^\S\n]*(=[^\S\n]*|(?=[\n#;]|$))/.exec(text);
  if (sign === null) return null;
  let at = sign[0].length;
  if (sign[1] === "") return { value: "true", rest: text.slice(at) };
  let value = "";
  // Trailing blanks do not count, except in quotes.
  let kept = 0;
  let quoted = false;
  for (; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\n") break;
    if (!quoted && (character === "#" || character === ";")) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      break;
    }
    if (character === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (character === "\\") {
      at += 1;
      const next = text[at] ?? "";
      if (next === "\n") continue;
      const escaped = ESCAPES[next];
      if (escaped === undefined) return null;
      value += escaped;
      kept = value.length;
    } else {
      value += character;
      if (quoted || !/\s/.test(character)) kept = value.length;
    }
  }
  return quoted ? null : { value: value.slice(0, kept), rest: text.slice(at) };
}

/** The mode of an index entry that is a nested repository. */
const LINK = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/**
 * Offset of the mode in an entry's fixed part: times, numbers, mode and size; then the object ID, flags, and the path.
 */
const MODE_AT = 24;
const NAME_AT = 40;
const EXTENDED = 0x4000;

/**
 * Returns the paths of nested repositories in a git index (versions 2 to 4): git reads each of them with its own
 * configuration, even in a read. Null if the index cannot be parsed. `idBytes`: 20, or 32 for SHA-256.
 */
export function gitLinksIn(index: Buffer, idBytes: number): readonly string[] | null {
  // Most have none, and a search for four bytes is much faster than parsing.
  if (!index.includes(LINK)) return [];
  try {
    if (index.toString("latin1", 0, 4) !== "DIRC") return null;
    return links(index, idBytes);
  } catch (error) {
    // It is truncated.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function links(index: Buffer, idBytes: number): readonly string[] | null {
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const found: string[] = [];
  let at = 12;
  let path: Buffer = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + NAME_AT + idBytes;
    const extended = version > 2 && (index.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    let from = flagsAt + (extended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const cut = readNumber(index, from);
      kept = path.length - cut.value;
      from = cut.next;
    }
    const end = index.indexOf(0, from);
    if (end < 0 || kept < 0) return null;
    const rest = index.subarray(from, end);
    path = kept === 0 ? rest : Buffer.concat([path.subarray(0, kept), rest]);
    if (index.readUInt32BE(at + MODE_AT) === 0xe000) found.push(path.toString("utf8"));
    // Up to version 3 an entry is padded to a multiple of eight bytes, with at least one.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return found;
}

/** Reads how much of the last path is dropped, as git writes numbers in packs. */
function readNumber(index: Buffer, start: number): { readonly value: number; readonly next: number } {
  let at = start;
  let byte = index.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at };
}
