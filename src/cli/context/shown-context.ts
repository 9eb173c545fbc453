import type { Part } from "../../context/assemble.ts";
import { tokensOfPrefix } from "../../context/compaction/tokens.ts";
import { tokensOfPart } from "../../context/measure.ts";
import type { Preview } from "../../supervisor/specs.ts";
import type { Paint } from "../colour.ts";
import { shortCount } from "../figures.ts";
import { safeLine, safeText } from "../safe-text.ts";

/** Where a part is sent: the first is cached by itself. */
const PLACES: Readonly<Record<Part["place"], string>> = {
  system: "system prompt",
  tools: "tools",
  attached: "first message",
  messages: "messages",
};

/** For programs: every part as it is sent. `estimated`: no server has counted its tokens. */
export function contextJson({ model, window, parts }: Preview, agent: string | null): object {
  return {
    ...{ agent: agent ?? "main", model, window },
    tokens: { count: total(parts), estimated: true },
    parts: parts.map((part) => {
      const { name, place } = part;
      return { name, place, tokens: { count: tokensOfPart(part), estimated: true }, ...contentOf(part) };
    }),
  };
}

function contentOf(part: Part): object {
  switch (part.name) {
    case "tool schemas":
      return {
        tools: part.tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })),
      };
    case "history":
      return { messages: part.messages };
    case "user turn":
      return { attached: part.attached, pictures: part.pictures.length, prompt: part.prompt };
    default:
      return { text: part.text };
  }
}

/** For people: what each part takes, then every part in full unless only the sizes are wanted. */
export function contextText(
  { model, window, parts }: Preview,
  agent: string | null,
  paint: Paint,
  sizesOnly: boolean,
): string {
  const all = total(parts);
  const share = `${((100 * all) / window).toFixed(1)} % of ${shortCount(window)}`;
  const head = `${paint("bold", agent === null ? "Main conversation" : `Agent ${safeLine(agent)}`)} · ${safeLine(model)} · about ${shortCount(all)} tokens (${share})`;
  const sizes = parts.map(sizeLine);
  const whole = sizesOnly ? [] : parts.flatMap((part) => ["", ...shownPart(part, paint)]);
  return `${[head, "", ...sizes, ...whole].join("\n")}\n`;
}

function sizeLine(part: Part): string {
  const tokens = tokensOfPart(part);
  const size = tokens === 0 ? "none" : `about ${shortCount(tokens)}`;
  return `  ${part.name.padEnd(16)}${size.padStart(12)}   ${tokens === 0 ? "" : PLACES[part.place]}`.trimEnd();
}

function shownPart(part: Part, paint: Paint): string[] {
  const title = paint("bold", `== ${part.name}`);
  if (tokensOfPart(part) === 0) return [`${title} (none)`];
  switch (part.name) {
    case "tool schemas":
      return [title, ...part.tools.flatMap((tool) => shownTool(tool, paint))];
    case "history":
      return [title, safeText(JSON.stringify(part.messages, null, 2))];
    case "user turn":
      return [title, safeText([...part.attached, part.prompt].join("\n\n"))];
    default:
      return [title, safeText(part.text)];
  }
}

function shownTool(tool: Extract<Part, { name: "tool schemas" }>["tools"][number], paint: Paint): string[] {
  const size = `(about ${shortCount(tokensOfPrefix([], [tool]))} tokens)`;
  return [
    "",
    `${paint("bold", safeLine(tool.name))} ${paint("dim", size)}`,
    safeText(tool.description),
    paint("dim", safeText(JSON.stringify(tool.input_schema))),
  ];
}

function total(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + tokensOfPart(part), 0);
}
