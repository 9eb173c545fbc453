import { Marked } from "marked";
import { lexBlocks } from "./lexer.ts";

/** A block with more signs that may mean something is shown as it is: their pairs take quadratic time. */
const MOST_SIGNS = 2_000;
const SAFE_LINK = /^(?:https?:|mailto:)/i;

/**
 * Returns Markdown as HTML for a page that is opened without a server: tags in the text are shown and not used, links lead only to
 * the web, and images are links, so that the page fetches nothing. Never throws.
 */
export function renderHtml(text: string): string {
  const writer = new Marked({
    renderer: {
      html: ({ text: tags }) => escapeHtml(tags),
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens);
        return SAFE_LINK.test(href) ? `<a href="${escapeHtml(href)}">${shown}</a>` : shown;
      },
      image({ href, text: description }) {
        const shown = escapeHtml(description || href);
        return SAFE_LINK.test(href) ? `<a href="${escapeHtml(href)}">${shown}</a>` : shown;
      },
    },
  });
  return lexBlocks(text)
    .map(({ type, raw }) => {
      const signs = type === "code" ? 0 : (raw.match(/[*_`~[\]<>!&\\@|]/g)?.length ?? 0);
      try {
        if (signs <= MOST_SIGNS) return writer.parse(raw, { async: false });
      } catch {
        // Nested too deep for the stack.
      }
      return `<pre>${escapeHtml(raw)}</pre>`;
    })
    .join("");
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
