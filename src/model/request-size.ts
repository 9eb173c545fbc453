import type { ModelRequest } from "./client.ts";

/** What a server adds to a request: its text about tools, and the frames of messages and blocks. */
const ADDED = 1_000;
const PER_NODE = 4;
/** The most that one image counts for, however large its bytes are. */
const IMAGE_TOKENS = 5_000;

/** Returns the most tokens that the prompt of a request can be: no token is shorter than a byte. */
export function promptBound({ head, sizes }: RequestSizes): number {
  return ADDED + sizes.reduce((sum, size) => sum + size, head);
}

/** Bounds of the parts of a request, in tokens. */
export interface RequestSizes {
  /** Of its system prompt and tools. */
  readonly head: number;
  /** Of each message. */
  readonly sizes: readonly number[];
}

/** Returns what measures requests; each part of a conversation is read once for that. */
export function requestMeasure(): (request: ModelRequest) => RequestSizes {
  const known = new WeakMap<object, number>();
  const measure = (part: object): number => {
    const size = known.get(part) ?? boundOf(part);
    known.set(part, size);
    return size;
  };
  return ({ system, tools, messages }) => ({
    head: measure(system) + measure(tools),
    sizes: messages.map(measure),
  });
}

/** Of all strings in it, and of the keys between them. */
function boundOf(value: unknown): number {
  if (typeof value === "string") return PER_NODE + Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return PER_NODE;
  const isImage = "type" in value && value.type === "image";
  const entries = Object.entries(value);
  const sum = entries.reduce((all, [key, inner]) => all + key.length + boundOf(inner), PER_NODE);
  return isImage ? Math.min(sum, IMAGE_TOKENS) : sum;
}
