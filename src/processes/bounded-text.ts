/** Collects UTF-8 output up to a number of bytes; drops what comes after it. */
export interface BoundedText {
  readonly truncated: boolean;
  /** Returns false once there was more than fits. */
  add(chunk: Uint8Array): boolean;
  /** Call once, at the end. Invalid bytes become U+FFFD; a character cut by the limit is left out. */
  take(): string;
}

export function boundedText(maxBytes: number): BoundedText {
  // A byte order mark is part of what the child wrote.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let room = Math.max(0, maxBytes);
  let text = "";
  let truncated = false;
  return {
    get truncated() {
      return truncated;
    },
    add(chunk) {
      if (chunk.length > room) truncated = true;
      if (room > 0) text += decoder.decode(chunk.subarray(0, room), { stream: true });
      room = Math.max(0, room - chunk.length);
      return !truncated;
    },
    take: () => (truncated ? text : text + decoder.decode()),
  };
}
