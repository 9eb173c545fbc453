import { descriptionOf, schemaOf } from "../../src/tools/definition.ts";
import { threadTools } from "../../src/tools/thread-tools.ts";
import { everyTool } from "../../src/tools/tool.ts";
import { everyBuiltInTool, type TellableTool } from "./every-tool.ts";

/** `docs/tools.md`: what models are told of each built-in tool, and what the runtime knows of it besides. */
export function renderToolsDoc(): string {
  const tools = everyBuiltInTool();
  return `${[
    "# Tools",
    "Written by `npm run docs` from the definitions in `src/tools`; a change here is lost. The texts are what a\nmodel reads if it has every tool; a sentence that names a tool is left out where that tool is not offered.",
    ["| Tool | Level | Runs in | Calls of one reply |", "|---|---|---|---|", ...tools.map(row)].join("\n"),
    ...tools.map(section),
  ].join("\n\n")}\n`;
}

function row({ tool, side }: TellableTool): string {
  const cells = [
    `[${tool.name}](#${tool.name.toLowerCase()})`,
    tool.permissionLevel,
    place(side, tool.name),
    together(tool),
  ];
  return `| ${cells.join(" | ")} |`;
}

function section({ tool }: TellableTool): string {
  const facts = [
    ...(tool.aliases.length === 0 ? [] : [`Also called ${tool.aliases.join(", ")}.`]),
    `Level ${tool.permissionLevel}.`,
  ];
  const description = quoted(descriptionOf(tool, everyTool));
  return [`## ${tool.name}`, facts.join(" "), argumentTable(schemaOf(tool)), description].join("\n\n");
}

function place(side: TellableTool["side"], name: string): string {
  return side === "agent" && leasing.has(name) ? "a leased thread" : "the supervisor's thread";
}

const leasing: ReadonlySet<string> = new Set(threadTools.map(({ name }) => name));

function together({ parallel }: TellableTool["tool"]): string {
  return parallel ? "together" : "one after the other";
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

function argumentTable(schema: object): string {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Property>>;
    readonly required?: readonly string[];
  };
  const entries = Object.entries(properties);
  if (entries.length === 0) return "It takes no arguments.";
  const rows = entries.map(([name, property]) => {
    const type = [typeOf(property), bounds(property)].filter(Boolean).join(", ");
    return `| \`${name}\` | ${type} | ${required.includes(name) ? "yes" : ""} | ${cell(property.description ?? "")} |`;
  });
  return ["| Argument | Type | Required | |", "|---|---|---|---|", ...rows].join("\n");
}

function typeOf({ type = "any", enum: values, items }: Property): string {
  if (values) return values.map((value) => `\`${value}\``).join(", ");
  return items ? `${type} of ${items.type ?? "any"}` : type;
}

function bounds({ minimum, maximum }: Property): string {
  return [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
  ].join(" ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s+/g, " ");
}

/** As it is, whatever signs are in it. */
function quoted(text: string): string {
  return ["````text", text, "````"].join("\n");
}
