import type { Markdown, MarkdownLooks, ReplyText } from "../../terminal/markdown/reply.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";

const OPEN_ROWS = 6;

/** The reply being written, as Markdown once that is loaded: at the first reply, and not before. */
export function createReplies(looks: MarkdownLooks) {
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
    get tail(): readonly string[] {
      return reply === null ? asItIs(early.replace(/\n$/, "")).slice(-OPEN_ROWS) : reply.tail;
    },
    add(piece: string, columns: number): string[] {
      width = columns;
      void start();
      early += piece;
      reply ??= markdown?.reply() ?? null;
      if (reply === null) return [];
      const text = early;
      early = "";
      return reply.add(text, columns);
    },
    end(): string[] {
      const rows = reply === null ? asItIs(early.replace(/\n$/, "")) : reply.end();
      early = "";
      return rows;
    },
    /** Returns all rows of a whole reply. */
    rows(text: string, columns: number): string[] {
      width = columns;
      return markdown === null ? asItIs(text) : markdown.rows(text, columns);
    },
    /** Resolves when `rows` can show this text as Markdown in colour. Never rejects. */
    async ready(text: string): Promise<void> {
      await start();
      await markdown?.ready(text);
    },
  };
}
