import { sharedIn } from "../mailbox/shared-history.ts";
import type { ModelRequest } from "./client.ts";

/** What a server adds to a request: its text about tools, and the frames of messages and blocks. */
const ADDED = 1_000;
const PER_NODE = 4;
/** The most that one image counts for, however large its bytes are. */
const IMAGE_TOKENS = 5_000;

/** Returns the most tokens that the prompt of a request can be: no token is shorter than a byte. */
export function promptBound({ system, tools, messages }: ModelRequest): number {
  return ADDED + boundOf(system) + boundOf(tools) + messages.reduce((sum, one) => sum + messageBound(one), 0);
}

/** Of one message; one that is shared by several conversations is not read for that. */
export function messageBound(message: ModelRequest["messages"][number]): number {
  const place = sharedIn(message)?.place;
  return place ? place.end - place.start : boundOf(message);
}

/** Of all strings in it, and of the keys between them. */
export function boundOf(value: unknown): number {
  if (typeof value === "string") return PER_NODE + Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return PER_NODE;
  const isImage = "type" in value && value.type === "image";
  const entries = Object.entries(value);
  const sum = entries.reduce((all, [key, inner]) => all + key.length + boundOf(inner), PER_NODE);
  return isImage ? Math.min(sum, IMAGE_TOKENS) : sum;
}
