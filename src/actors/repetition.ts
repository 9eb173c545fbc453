import { hash } from "node:crypto";
import type { Turn } from "../mailbox/messages.ts";
import { blocksOf } from "../mailbox/turns.ts";
import type { Last } from "./ending.ts";

/** Consecutive turns without anything new before a note to the model, and before the run ends. */
const POINTED_OUT = 3;
const ENDED = 8;
const SHOWN_CHARS = 200;

/**
 * Counts the consecutive turns whose calls had all been made before, with the same input and result. A fold of the
 * turns, so that a change of thread forgets nothing.
 */
export class Repetition {
  readonly #seen = new Set<string>();
  #turns = 0;
  #call = "";

  take({ heard, messages }: Pick<Turn, "heard" | "messages">): void {
    // A new message is a new question, which may need the same calls again.
    if (heard.some(({ notice }) => !notice)) this.#forget();
    const blocks = messages.flatMap(blocksOf);
    const results = new Map(
      blocks.flatMap((block) => (block.type === "tool_result" ? [[block.tool_use_id, block]] : [])),
    );
    const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    const keys = calls.map(({ id, name, input }) => {
      const { content, is_error } = results.get(id) ?? {};
      return hash("sha1", JSON.stringify([name, input, content, is_error]));
    });
    const isNew = keys.length === 0 || keys.some((key) => !this.#seen.has(key));
    this.#turns = isNew ? 0 : this.#turns + 1;
    for (const key of keys) this.#seen.add(key);
    const [first] = calls;
    if (first)
      this.#call = `${first.name} ${JSON.stringify(first.input)}`.slice(0, SHOWN_CHARS).toWellFormed();
  }

  /** The note to the model before its next request, or null. */
  get note(): string | null {
    if (this.#turns !== POINTED_OUT) return null;
    return `Your last ${POINTED_OUT} replies only repeated calls that you had made before, with the same results (${this.#call}). The same call will not bring anything else: try another way, or answer with what you have and say what is missing.`;
  }

  /** Why the next reply must be the last one, or null. */
  get end(): Last | null {
    if (this.#turns < ENDED) return null;
    return {
      status: "partial",
      reason: `It went in circles: its last ${this.#turns} turns only repeated calls with the same input and the same result (${this.#call}).`,
      note: "You go in circles: the same calls bring the same results. Call no more tools: answer now with what you have found, and say what is missing.",
    };
  }

  #forget(): void {
    this.#seen.clear();
    this.#turns = 0;
  }
}
