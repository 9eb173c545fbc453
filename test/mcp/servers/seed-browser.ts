/**
 * The seed's example of a server for a browser, without one: `node seed-browser.ts FILE` offers its four tools, writes
 * what each was called with to the file, a line each, and answers as a page that one can log in to would.
 */
import { appendFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { PIXEL } from "./good-server.ts";
import { SEED_BROWSER_TOOLS } from "./seed-browser-tools.ts";

const [file = "calls"] = process.argv.slice(2);
const filled = new Map<unknown, unknown>();
const server: Server = new Server(
  { name: "seed-browser", version: "1.0.0" },
  { capabilities: { tools: {} } },
);

server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: SEED_BROWSER_TOOLS }));
server.setRequestHandler(CallToolRequestSchema, ({ params }): CallToolResult => {
  const { name, arguments: given = {} } = params;
  appendFileSync(file, `${JSON.stringify({ name, given })}\n`);
  const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });
  switch (name) {
    case "navigate":
      return text('Page title: Log in\n- textbox "User" [ref=e1]\n- button "Log in" [ref=e2]');
    case "screenshot":
      return { content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] };
    case "fill":
      filled.set(given["ref"], given["text"]);
      return text("filled");
    case "click":
      return text(`Page title: Welcome, ${String(filled.get("e1"))}`);
    default:
      throw new Error(`no tool ${name}`);
  }
});
await server.connect(new StdioServerTransport());
