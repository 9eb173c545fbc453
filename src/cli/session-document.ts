import { shortDate } from "../terminal/figures.ts";
import { escapeHtml, renderHtml } from "../terminal/markdown/html.ts";
import { safeText } from "../terminal/safe-text.ts";
import { statusText } from "./agent-text.ts";
import type { AgentStory, PastCall, SessionStory } from "./session-story.ts";

/** The kinds of a session's document, by the end of its file's name. */
export type DocumentKind = "md" | "html";

/** Characters of a result that a document keeps. */
const MOST_RESULT = 4_000;

/** Writes down a session for people: prompts, replies, and calls with their results, as Markdown or as one HTML page. */
export function sessionDocument({ session, agents }: SessionStory, kind: DocumentKind): string {
  const write = kind === "md" ? markdown : html;
  const title = session?.title || "Conversation";
  const about =
    session === null
      ? []
      : [`Directory: ${session.cwd}`, `Model: ${session.model}`, `Started: ${shortDate(session.startedAt)}`];
  const parts = [
    write.title(title),
    ...about.map(write.line),
    ...agents.map((agent) => agentPart(agent, write)),
  ];
  // It may be shown on a terminal.
  return safeText(write.page(title, parts.join("")));
}

interface Writer {
  page(title: string, body: string): string;
  title(text: string): string;
  heading(text: string): string;
  line(text: string): string;
  /** A prompt of the user or of another agent. */
  prompt(text: string): string;
  reply(text: string): string;
  call(title: string, result: string): string;
}

function agentPart({ id, type, description, exchanges, status }: AgentStory, write: Writer): string {
  const end = status === null ? "unfinished" : statusText(status);
  const parts = exchanges.flatMap(({ prompt, replies, summary }) => [
    prompt === "" ? "" : write.prompt(prompt),
    ...replies.flatMap(({ text, calls }) => [
      text === "" ? "" : write.reply(text),
      ...calls.map((call) => write.call(`${call.tool} ${call.title}`, resultOf(call))),
    ]),
    summary === null || replies.at(-1)?.text === summary.text.trim() ? "" : write.reply(summary.text),
  ]);
  const heading = type === "main" ? "" : write.heading(`Agent ${id}: ${type}, ${description} (${end})`);
  return heading + parts.join("");
}

function resultOf({ result, isError }: PastCall): string {
  if (result === null) return "no result";
  const kept = result.length > MOST_RESULT ? `${result.slice(0, MOST_RESULT)}\n… (cut)` : result;
  return isError ? `failed:\n${kept}` : kept;
}

const markdown: Writer = {
  page: (_, body) => body,
  title: (text) => `# ${oneLine(text)}\n\n`,
  heading: (text) => `## ${oneLine(text)}\n\n`,
  line: (text) => `${oneLine(text)}  \n`,
  prompt: (text) => `\n**Prompt**\n\n${text.replace(/^/gm, "> ")}\n\n`,
  reply: (text) => `${text}\n\n`,
  call: (title, result) => `- ${oneLine(title)}\n\n${fenced(result).replace(/^/gm, "  ")}\n\n`,
};

const html: Writer = {
  page: (title, body) =>
    `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title>\n<style>${STYLE}</style>\n<body>\n${body}</body></html>\n`,
  title: (text) => `<h1>${escapeHtml(text)}</h1>\n`,
  heading: (text) => `<h2>${escapeHtml(text)}</h2>\n`,
  line: (text) => `<div class="about">${escapeHtml(text)}</div>\n`,
  prompt: (text) => `<div class="prompt">${escapeHtml(text)}</div>\n`,
  reply: (text) => `<div class="reply">${renderHtml(text)}</div>\n`,
  call: (title, result) =>
    `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(result)}</pre></details>\n`,
};

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}.about{color:#666}.prompt,.reply{margin:1rem 0}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2rem .5rem}.prompt{white-space:pre-wrap;background:#eef;padding:.5rem 1rem;border-radius:.5rem}pre{white-space:pre-wrap;background:#f5f5f5;padding:.5rem}";

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The fence is longer than every one in the text, so that nothing ends it early. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
