/** Bytes of one header; the two fields that exist take fewer than a hundred. */
const MOST_HEADER = 8 * 1024;
/** Bytes of one message: the symbols of a large project take a few megabytes. */
export const MOST_MESSAGE = 16 * 1024 * 1024;
const END_OF_HEADER = Buffer.from("\r\n\r\n");

/** What a server wrote cannot be taken apart, and nothing that follows can be. */
export class BadFrame extends Error {
  override readonly name = "BadFrame";
}

/** Takes messages with a `Content-Length` out of a stream of bytes, in pieces of any size. */
export class FrameReader {
  #header = Buffer.alloc(0);
  /** Bytes of the message under way; null: its header is not read. */
  #length: number | null = null;
  #pieces: Uint8Array[] = [];
  #held = 0;

  /** Returns the messages that are complete now. Throws a `BadFrame`; call nothing after that. */
  push(bytes: Uint8Array): Uint8Array[] {
    const whole: Uint8Array[] = [];
    let rest: Uint8Array = bytes;
    while (rest.length > 0) {
      const taken =
        this.#length === null ? this.#readHeader(rest) : this.#readBody(rest, this.#length, whole);
      rest = rest.subarray(taken);
    }
    return whole;
  }

  #readHeader(bytes: Uint8Array): number {
    const before = this.#header.length;
    const joined = Buffer.concat([this.#header, bytes.subarray(0, MOST_HEADER)]);
    const end = joined.indexOf(END_OF_HEADER);
    if (end < 0) {
      if (joined.length >= MOST_HEADER) throw new BadFrame("a header has no end");
      this.#header = joined;
      return bytes.length;
    }
    this.#header = Buffer.alloc(0);
    const length = lengthIn(joined.toString("latin1", 0, end));
    this.#length = length;
    return end + END_OF_HEADER.length - before;
  }

  #readBody(bytes: Uint8Array, length: number, whole: Uint8Array[]): number {
    const piece = bytes.subarray(0, length - this.#held);
    this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#held === length) {
      whole.push(this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces));
      this.#pieces = [];
      this.#held = 0;
      this.#length = null;
    }
    return piece.length;
  }
}

function lengthIn(header: string): number {
  const lengths = header.split("\r\n").flatMap((line) => {
    const field = /^content-length:[ \t]*(\d{1,15})[ \t]*$/i.exec(line);
    return field === null ? [] : [Number(field[1])];
  });
  const [length] = lengths;
  if (length === undefined || lengths.length > 1) throw new BadFrame("what it writes is not the protocol");
  if (length === 0) throw new BadFrame("a message is empty");
  if (length > MOST_MESSAGE)
    throw new BadFrame(`a message has ${length} bytes, and at most ${MOST_MESSAGE} are read`);
  return length;
}

/** A message as it is sent. */
export function frame(message: unknown): Uint8Array {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}
