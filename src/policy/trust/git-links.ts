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
