import { stripVTControlCharacters } from "node:util";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { errorCode } from "../../lib/errors.ts";
import { shorten } from "../../lib/text.ts";

const MAX_CHARS = 1_000;

/** Returns a server's text without control characters other than line breaks and tabs. */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text.toWellFormed()).replace(/[^\P{Cc}\n\t]/gu, "");
}

export class TailText {
  readonly #chars: number;
  #tail = "";

  constructor(chars: number) {
    this.#chars = chars;
  }

  add(text: string): void {
    this.#tail = (this.#tail + text).slice(-this.#chars);
  }

  text(): string {
    return stripControls(this.#tail).trim();
  }
}

/** Returns which part of a server's answer is invalid and what was expected, or null for another error. */
export function invalidPart(error: unknown): string | null {
  if (!(error instanceof z.core.$ZodError)) return null;
  const [issue] = error.issues;
  const expected = issue?.code === "invalid_type" ? `expected ${issue.expected}` : "invalid";
  return `${issue?.path.join(".") || "the whole"}: ${expected}`;
}

/** Returns the message of an error, bounded and without control characters. */
export function errorReason(error: unknown): string {
  return shorten(stripControls(messageIn(error)).trim(), MAX_CHARS);
}

function messageIn(error: unknown): string {
  // The SDK puts its error code in front.
  if (error instanceof McpError) return error.message.replace(/^MCP error -?\d+: /, "");
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // `fetch failed` says nothing; its cause does.
  if (error.message === "fetch failed" && cause instanceof Error)
    return cause.message || (errorCode(cause) ?? cause.name);
  return error.message;
}

/** True if the connection was lost before the answer, or just before the request. */
export function isClosed(error: unknown): boolean {
  if (error instanceof Error && error.message === "Not connected") return true;
  return error instanceof McpError && error.code === ErrorCode.ConnectionClosed;
}

/** Ends a text with a full stop, if it has no end of its own. */
export function toSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
