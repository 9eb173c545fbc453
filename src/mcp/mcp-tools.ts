import * as z from "zod/mini";
import { bindTool, type SealedTool } from "../tools/bind-tool.ts";
import { inputComplaints } from "./check-input.ts";
import { type AmongFor, listResourcesTool } from "./list-resources.ts";
import type { Among, Mcp, McpTool } from "./mcp.ts";
import { readResourceTool } from "./read-resource.ts";

/** What people see of a call besides its tool. */
const TITLE_CHARS = 120;

/** The tools that servers offer now (A17.2), in their order; those that come later are told by `Mcp.onEvent`. */
export function serverTools(mcp: Mcp, among: Among = () => true): readonly SealedTool[] {
  return mcp.tools().flatMap((tool) => (among(tool.slug) ? [serverTool(mcp, tool)] : []));
}

/** A3.32, of the servers that are there for whoever asks. Both say so where there is none. */
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
    // What a server says of its own harmlessness is no reason to believe it.
    permissionLevel: "execute",
    // A lie here hurts the order of its own calls, and nothing else.
    parallel: readOnly,
    repeatable: false,
    description,
    inputSchema: z.record(z.string(), z.unknown()),
    jsonSchema: inputSchema,
    prepare(input) {
      const complaints = inputComplaints(inputSchema, input ?? {});
      if (complaints.length > 0) {
        const lines = complaints.map((line) => `- ${line}`).join("\n");
        return {
          type: "invalid",
          message: `Invalid input for ${name}:\n${lines}\nCorrect the input and call ${name} again.`,
        };
      }
      return {
        type: "ready",
        title: titleOf(input),
        // Nobody knows what a server does.
        accesses: () => [],
        call: ({ call, signal }) => mcp.call({ name, input, call }, signal),
      };
    },
  };
}

function titleOf(input: unknown): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const [first] = values.filter((value) => typeof value === "string" && value.trim() !== "");
  const title =
    typeof first === "string" ? first : values.length > 0 ? JSON.stringify(input) : "no arguments";
  return title.length > TITLE_CHARS ? `${title.slice(0, TITLE_CHARS - 1).toWellFormed()}…` : title;
}
