import { type Part, tokensOfPart } from "../../context/assemble.ts";
import { tokensOfPrefix } from "../../context/compaction/tokens.ts";
import type { Preview } from "../../features/agents/specs.ts";
import type { Counted } from "../../session/counted-parts.ts";
import type { Paint } from "../../terminal/colour.ts";
import { shortCount } from "../../terminal/figures.ts";
import { safeLine, safeText } from "../../terminal/safe-text.ts";
import type { WithheldTool } from "../../tools/toolbox.ts";

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

/** Tokens, as the server counts them or as we estimate them. */
interface Size {
  readonly count: number;
  readonly estimated: boolean;
}

/** For programs: every part as it is sent. */
export function contextJson(shown: ShownContext): object {
  const { preview, agent, withheld, sizesOnly } = shown;
  const { parts, total } = sizesOf(shown);
  return {
    ...{ agent: agent ?? "main", model: preview.model, window: preview.window },
    ...{ notOffered: withheld, tokens: total },
    parts: preview.parts.map((part, at) => ({
      ...{ name: part.name, place: part.place, tokens: parts[at] },
      ...(sizesOnly ? {} : contentOf(part)),
    })),
  };
}

function sizesOf({ preview, counted }: ShownContext): {
  readonly parts: readonly Size[];
  readonly total: Size;
} {
  const parts = preview.parts.map((part, at): Size => {
    const count = counted?.parts[at] ?? null;
    return count === null ? { count: tokensOfPart(part), estimated: true } : { count, estimated: false };
  });
  const total = counted?.total ?? null;
  const estimate = parts.reduce((sum, { count }) => sum + count, 0);
  return { parts, total: { count: total ?? estimate, estimated: total === null } };
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

/** For users: the size of each part, then every part in full unless only sizes are wanted. */
export function contextText(shown: ShownContext, paint: Paint): string {
  const { preview, agent, withheld, sizesOnly } = shown;
  const { model, window, parts } = preview;
  const { parts: sizes, total } = sizesOf(shown);
  const title = paint("bold", agent === null ? "Main conversation" : `Agent ${safeLine(agent)}`);
  const share = `${((100 * total.count) / window).toFixed(1)} % of ${shortCount(window)}`;
  const source = total.estimated ? "estimated" : "counted by the model's server";
  return `${[
    `${title} · ${safeLine(model)} · ${sizeText(total)} tokens (${share}), ${source}`,
    "",
    ...parts.map((part, at) => sizeLine(part, sizes[at] ?? total)),
    ...(withheld.length > 0 ? [""] : []),
    ...withheld.map(({ tool, reason }) => `  ${safeLine(tool)} is not offered: ${safeLine(reason)}`),
    ...(sizesOnly ? [] : parts.flatMap((part) => ["", ...partLines(part, paint)])),
  ].join("\n")}\n`;
}

function sizeText({ count, estimated }: Size): string {
  return `${estimated ? "about " : ""}${shortCount(count)}`;
}

function sizeLine({ name, place }: Part, size: Size): string {
  const isEmpty = size.count === 0;
  return `  ${name.padEnd(16)}${(isEmpty ? "none" : sizeText(size)).padStart(12)}   ${isEmpty ? "" : PLACES[place]}`.trimEnd();
}

function partLines(part: Part, paint: Paint): string[] {
  const title = paint("bold", `== ${part.name}`);
  if (tokensOfPart(part) === 0) return [`${title} (none)`];
  switch (part.name) {
    case "tool schemas":
      return [title, ...part.tools.flatMap((tool) => toolLines(tool, paint))];
    case "history":
      return [title, safeText(JSON.stringify(part.messages, null, 2))];
    case "user turn":
      return [title, safeText([...part.attached, part.prompt].join("\n\n"))];
    default:
      return [title, safeText(part.text)];
  }
}

function toolLines(tool: Extract<Part, { name: "tool schemas" }>["tools"][number], paint: Paint): string[] {
  const size = `(about ${shortCount(tokensOfPrefix([], [tool]))} tokens)`;
  return [
    "",
    `${paint("bold", safeLine(tool.name))} ${paint("dim", size)}`,
    safeText(tool.description),
    paint("dim", safeText(JSON.stringify(tool.input_schema))),
  ];
}
