import { errorMessage } from "../lib/errors.ts";
import type { Elicitation, ElicitationAnswer, McpAsk } from "./mcp.ts";

/** What servers want to know of the person, and what is still being asked. */
export class PersonQuestions {
  readonly #ask: McpAsk | undefined;
  readonly #onWarning: (message: string) => void;
  readonly #open = new Map<number, AbortController>();

  constructor(ask: McpAsk | undefined, onWarning: (message: string) => void) {
    this.#ask = ask;
    this.#onWarning = onWarning;
  }

  /** Tells the answer, unless it no longer matters; undefined where there is none, which counts as no. */
  async put(
    question: number,
    asks: Elicitation,
    tell: (answer: ElicitationAnswer | undefined) => void,
  ): Promise<void> {
    const over = new AbortController();
    this.#open.set(question, over);
    let answer: ElicitationAnswer | undefined;
    try {
      answer = await this.#ask?.elicit(asks, over.signal);
    } catch (error) {
      const why = errorMessage(error);
      if (!over.signal.aborted)
        this.#onWarning(`A question of the MCP server "${asks.server}" could not be asked: ${why}`);
    }
    this.#open.delete(question);
    if (!over.signal.aborted) tell(answer);
  }

  withdraw(question: number): void {
    this.#open.get(question)?.abort();
  }

  withdrawAll(): void {
    for (const over of this.#open.values()) over.abort();
  }
}
