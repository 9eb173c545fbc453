import type { Markdown, MarkdownLooks, ReplyText } from "../../terminal/markdown/reply.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";

/** The reply being written, as Markdown once that is loaded: at the first reply, and not before. */
export interface Replies extends ReplyText {
  /** Returns all rows of a whole reply. */
  rows(text: string, columns: number): string[];
  /** Resolves when `rows` can show this text as Markdown in colour. Never rejects. */
  ready(text: string): Promise<void>;
}

const OPEN_ROWS = 6;

export function createReplies(looks: MarkdownLooks): Replies {
  let markdown: Markdown | null = null;
  let reply: ReplyText | null = null;
  let loading: Promise<void> | null = null;
  /** What came before it was loaded. */
  let early = "";
  let width = 80;

  const load = async (): Promise<void> => {
    const { createMarkdown } = await import("../../terminal/markdown/reply.ts");
    markdown = createMarkdown(looks);
  };
  // Without it a reply is shown as it is.
  const start = (): Promise<void> => (loading ??= load().catch(() => {}));
  const asItIs = (text: string): string[] => (text === "" ? [] : wrapText(safeText(text), width));
  return {
    get tail() {
      return reply === null ? asItIs(early.replace(/\n$/, "")).slice(-OPEN_ROWS) : reply.tail;
    },
    add(piece, columns) {
      width = columns;
      void start();
      early += piece;
      reply ??= markdown?.reply() ?? null;
      if (reply === null) return [];
      const text = early;
      early = "";
      return reply.add(text, columns);
    },
    end() {
      const rows = reply === null ? asItIs(early.replace(/\n$/, "")) : reply.end();
      early = "";
      return rows;
    },
    rows(text, columns) {
      width = columns;
      return markdown === null ? asItIs(text) : markdown.rows(text, columns);
    },
    async ready(text) {
      await start();
      await markdown?.ready(text);
    },
  };
}
