/** The mode of an entry that is a repository of its own, as an index has it. */
const LINK = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/** An entry's fixed part: times, numbers, mode and size; then the object's name, flags, and the path. */
const MODE_AT = 24;
const NAME_AT = 40;
const EXTENDED = 0x4000;

/**
 * The paths in an index of git (versions 2 to 4) at which other repositories stand: git looks into each where it
 * only reads, by that one's configuration. Null where the index cannot be understood. `idBytes`: 20, or 32 for
 * SHA-256.
 */
export function gitLinksIn(index: Buffer, idBytes: number): readonly string[] | null {
  // Most have none, and a search for four bytes is as fast as reading them.
  if (!index.includes(LINK)) return [];
  try {
    if (index.toString("latin1", 0, 4) !== "DIRC") return null;
    return links(index, idBytes);
  } catch (error) {
    // It ends before it says it would.
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
    // Up to version 3 an entry is filled up to a multiple of eight bytes, with at least one.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return found;
}

/** How much of the last path does not count, as git writes numbers in packs. */
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
