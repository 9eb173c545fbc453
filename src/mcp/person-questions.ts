import type { McpAsk } from "./mcp.ts";
import type { BrokerQuestion } from "./protocol.ts";

/** What the broker wants to know of the person, and what is still being asked. */
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
    server: string,
    asks: BrokerQuestion,
    tell: (answer: unknown) => void,
  ): Promise<void> {
    const over = new AbortController();
    this.#open.set(question, over);
    let answer: unknown;
    try {
      answer = await this.#answer(server, asks, over.signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!over.signal.aborted)
        this.#onWarning(`A question of the MCP server "${server}" could not be asked: ${why}`);
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

  async #answer(server: string, asks: BrokerQuestion, signal: AbortSignal): Promise<unknown> {
    switch (asks.type) {
      case "browser":
        return this.#ask?.openBrowser({ server, url: asks.url }, signal);
      case "elicit":
        return this.#ask?.elicit({ server, message: asks.message, schema: asks.schema }, signal);
      default:
        return asks satisfies never;
    }
  }
}
