import TurndownService from "turndown";
import type { DomElement, DomNode } from "./dom.ts";

/** Converts a part of a page to Markdown, with absolute links, and with descriptions in place of images. */
export function toMarkdown(node: DomNode, base: string): string {
  const service = new TurndownService({
    ...{ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---", emDelimiter: "*" },
  });
  service.remove(["script", "style", "noscript", "iframe"]);
  service.addRule("links", {
    filter: (element) => element.nodeName === "A" && element.getAttribute("href") !== null,
    replacement: (content, element) =>
      link(content, (element as DomElement).getAttribute("href") ?? "", base),
  });
  service.addRule("images", {
    filter: "img",
    replacement: (_, element) => {
      const alt = ((element as DomElement).getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
      return alt === "" ? "" : `[image: ${alt}]`;
    },
  });
  service.addRule("cells", { filter: ["th", "td"], replacement: (content) => ` ${cell(content)} |` });
  service.addRule("rows", { filter: "tr", replacement: row });
  service.addRule("tables", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` });
  service.addRule("parts of tables", {
    filter: ["thead", "tbody", "tfoot"],
    replacement: (content) => content,
  });
  return service
    .turndown(node)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function link(content: string, href: string, base: string): string {
  const words = content.replace(/\s+/g, " ").trim();
  if (words === "" || href.startsWith("#") || !URL.canParse(href, base)) return words;
  const { protocol, href: whole } = new URL(href, base);
  return /^(?:https?|mailto|ftp):$/.test(protocol)
    ? `[${words}](${whole.replaceAll("(", "%28").replaceAll(")", "%29")})`
    : words;
}

function cell(content: string): string {
  return content.replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
}

/** Makes the first row the head, because a Markdown table needs one. */
function row(content: string, node: DomNode): string {
  const element = node as DomElement;
  const cells = content.split(/(?<!\\)\|/).length - 1;
  const line = `|${content.replace(/\n/g, " ")}\n`;
  return isFirstRow(element) ? `${line}|${" --- |".repeat(cells)}\n` : line;
}

function isFirstRow({ parentNode, previousElementSibling }: DomElement): boolean {
  if (previousElementSibling !== null) return false;
  if (parentNode === null || parentNode.nodeName === "TABLE") return true;
  return parentNode.previousElementSibling === null;
}
