import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { printable } from "./tail-text.ts";

const MAX_CHARS = 1_000;

/** Where an answer is not as the protocol says, and what was expected there; null: that is not what went wrong. */
export function misfitOf(error: unknown): string | null {
  if (!(error instanceof z.core.$ZodError)) return null;
  const [issue] = error.issues;
  const wanted = issue?.code === "invalid_type" ? `expected ${issue.expected}` : "of another kind";
  return `${issue?.path.join(".") || "the whole"}: ${wanted}`;
}

/** What went wrong, in the words of whoever said it, bounded and printable. */
export function reasonOf(error: unknown): string {
  const text = printable(wordsOf(error)).trim();
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

function wordsOf(error: unknown): string {
  // The SDK writes its code in front, of which nobody has anything.
  if (error instanceof McpError) return error.message.replace(/^MCP error -?\d+: /, "");
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // `fetch failed` says nothing; its cause does.
  if (error.message === "fetch failed" && cause instanceof Error) return cause.message || codeOf(cause);
  return error.message;
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : error.name;
}

/** The connection was lost before the answer, or just before the question. */
export function isClosed(error: unknown): boolean {
  if (error instanceof Error && error.message === "Not connected") return true;
  return error instanceof McpError && error.code === ErrorCode.ConnectionClosed;
}

/** A sentence ends in a full stop, whoever wrote it. */
export function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
