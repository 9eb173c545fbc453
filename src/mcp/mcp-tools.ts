import * as z from "zod/mini";
import { shorten } from "../lib/text.ts";
import { bindTool, type SealedTool } from "../tools/bind-tool.ts";
import { inputProblems } from "./check-input.ts";
import type { Among, Mcp, McpTool } from "./mcp.ts";
import { type AmongFor, listResourcesTool, readResourceTool } from "./resource-tools.ts";

const TITLE_CHARS = 120;

/** Returns the tools that servers offer now (A17.2), in their order; `Mcp.onEvent` reports later ones. */
export function serverTools(mcp: Mcp, among: Among = () => true): readonly SealedTool[] {
  return mcp.tools().flatMap((tool) => (among(tool.slug) ? [serverTool(mcp, tool)] : []));
}

/** The tools of A3.32, for the servers that an agent may use. */
export function resourceTools(
  mcp: Pick<Mcp, "listResources" | "readResource">,
  among: AmongFor = () => () => true,
): readonly SealedTool[] {
  return [bindTool(listResourcesTool(mcp, among)), bindTool(readResourceTool(mcp, among))];
}

function serverTool(
  mcp: Pick<Mcp, "call">,
  { name, description, inputSchema, readOnly }: McpTool,
): SealedTool {
  return {
    name,
    aliases: [],
    // A server's word that its tool is harmless is not trusted.
    permissionLevel: "execute",
    // A lie here disturbs only the order of its own calls.
    parallel: readOnly,
    repeatable: false,
    description,
    inputSchema: z.record(z.string(), z.unknown()),
    jsonSchema: inputSchema,
    prepare(input) {
      const problems = inputProblems(inputSchema, input ?? {}).map((line) => `- ${line}`);
      if (problems.length > 0) {
        const message = `Invalid input for ${name}:\n${problems.join("\n")}\nCorrect the input and call ${name} again.`;
        return { type: "invalid", message };
      }
      return {
        type: "ready",
        title: titleOf(input),
        // What a server does is not known.
        accesses: () => [],
        call: ({ call, signal }) => mcp.call({ name, input, call }, signal),
      };
    },
  };
}

function titleOf(input: unknown): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const first = values.find((value) => typeof value === "string" && value.trim() !== "");
  const title =
    typeof first === "string" ? first : values.length > 0 ? JSON.stringify(input) : "no arguments";
  return shorten(title, TITLE_CHARS);
}
