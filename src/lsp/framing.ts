/** Bytes of one header; its two fields need fewer than a hundred. */
const MOST_HEADER = 8 * 1024;
/** Bytes of one message: the symbols of a large project are a few megabytes. */
const MOST_MESSAGE = 16 * 1024 * 1024;
const END_OF_HEADER = Buffer.from("\r\n\r\n");

/** A server's output cannot be split into messages. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** Splits a stream of bytes, in pieces of any size, into messages with a `Content-Length`. */
export class FrameReader {
  #header = Buffer.alloc(0);
  /** Bytes of the current message; null before its header is read. */
  #length: number | null = null;
  #pieces: Uint8Array[] = [];
  #held = 0;

  /** Returns the messages that are complete now. Throws a `FrameError`; call nothing after that. */
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
      if (joined.length >= MOST_HEADER) throw new FrameError("a header has no end");
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
  if (length === undefined || lengths.length > 1) throw new FrameError("its output is not the protocol");
  if (length === 0) throw new FrameError("a message is empty");
  if (length > MOST_MESSAGE)
    throw new FrameError(`a message has ${length} bytes, and at most ${MOST_MESSAGE} are read`);
  return length;
}

/** Formats a message. */
export function frame(message: unknown): Uint8Array {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}
