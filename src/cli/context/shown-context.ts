import type { Part } from "../../context/assemble.ts";
import { tokensOfPrefix } from "../../context/compaction/tokens.ts";
import { tokensOfPart } from "../../context/measure.ts";
import type { Preview } from "../../features/agents/specs.ts";
import type { Counted } from "../../session/counted-parts.ts";
import type { WithheldTool } from "../../session/open-session.ts";
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

export interface ShownContext {
  readonly preview: Preview;
  /** Null: the main conversation. */
  readonly agent: string | null;
  readonly counted: Counted | null;
  readonly withheld: readonly WithheldTool[];
  /** Without the parts themselves. */
  readonly sizesOnly: boolean;
}

/** Tokens, by the server's count or by ours. */
interface Size {
  readonly count: number;
  readonly estimated: boolean;
}

/** For programs: every part as it is sent. `estimated`: no server has counted its tokens. */
export function contextJson({ preview, agent, counted, withheld, sizesOnly }: ShownContext): object {
  const { model, window, parts } = preview;
  return {
    ...{ agent: agent ?? "main", model, window },
    notOffered: withheld,
    tokens: wholeSize(parts, counted),
    parts: parts.map((part, at) => {
      const { name, place } = part;
      return { name, place, tokens: sizeOf(part, at, counted), ...(sizesOnly ? {} : contentOf(part)) };
    }),
  };
}

function sizeOf(part: Part, at: number, counted: Counted | null): Size {
  const count = counted?.parts[at] ?? null;
  return count === null ? { count: tokensOfPart(part), estimated: true } : { count, estimated: false };
}

function wholeSize(parts: readonly Part[], counted: Counted | null): Size {
  const total = counted?.total ?? null;
  if (total !== null) return { count: total, estimated: false };
  return {
    count: parts.reduce((sum, part, at) => sum + sizeOf(part, at, counted).count, 0),
    estimated: true,
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
export function contextText(shown: ShownContext, paint: Paint): string {
  const { preview, agent, counted, withheld, sizesOnly } = shown;
  const { model, window, parts } = preview;
  const all = wholeSize(parts, counted);
  const share = `${((100 * all.count) / window).toFixed(1)} % of ${shortCount(window)}`;
  const by = all.estimated ? "estimated" : "counted by the model's server";
  const head = `${paint("bold", agent === null ? "Main conversation" : `Agent ${safeLine(agent)}`)} · ${safeLine(model)} · ${words(all)} tokens (${share}), ${by}`;
  const sizes = parts.map((part, at) => sizeLine(part, sizeOf(part, at, counted)));
  const whole = sizesOnly ? [] : parts.flatMap((part) => ["", ...shownPart(part, paint)]);
  const absent = withheld.map(
    ({ tool, reason }) => `  ${safeLine(tool)} is not offered: ${safeLine(reason)}`,
  );
  return `${[head, "", ...sizes, ...(absent.length > 0 ? ["", ...absent] : []), ...whole].join("\n")}\n`;
}

function words({ count, estimated }: Size): string {
  return `${estimated ? "about " : ""}${shortCount(count)}`;
}

function sizeLine(part: Part, size: Size): string {
  const said = size.count === 0 ? "none" : words(size);
  return `  ${part.name.padEnd(16)}${said.padStart(12)}   ${size.count === 0 ? "" : PLACES[part.place]}`.trimEnd();
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
