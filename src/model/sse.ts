/** One server-sent event; `event` is null where the server did not name it. */
export interface SseFrame {
  readonly event: string | null;
  readonly data: string;
}

export interface SseParser {
  /** Bytes as they came, cut anywhere: inside a character, inside CRLF. */
  push(bytes: Uint8Array): SseFrame[];
}

/** A carriage return at the very end may be half of a CRLF, so it is not a line end yet. */
const LINE_END = /\r\n|\n|\r(?!$)/g;

/**
 * Reads server-sent events (faults 19 to 21). A frame counts when its empty line has come; what is left at
 * the end of the stream is half a frame and is never delivered.
 */
export function sseParser(): SseParser {
  const decoder = new TextDecoder();
  let rest = "";
  let endsWithReturn = false;
  let event: string | null = null;
  let data: string[] = [];

  const takeLine = (line: string, frames: SseFrame[]) => {
    if (line === "") {
      if (data.length > 0) frames.push({ event, data: data.join("\n") });
      event = null;
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "event" && field !== "data") return;
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") event = value;
    else data.push(value);
  };

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      const mayEndLine = endsWithReturn || text.includes("\n") || text.includes("\r");
      // Looking into what is pending for every chunk would be quadratic in one huge line.
      rest += text;
      if (text !== "") endsWithReturn = text.endsWith("\r");
      if (!mayEndLine) return [];
      const frames: SseFrame[] = [];
      let start = 0;
      for (const end of rest.matchAll(LINE_END)) {
        takeLine(rest.slice(start, end.index), frames);
        start = end.index + end[0].length;
      }
      rest = rest.slice(start);
      return frames;
    },
  };
}
