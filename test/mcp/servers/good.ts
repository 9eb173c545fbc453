/** A server as people write them with the SDK: tools, resources, prompts, progress, elicitation, sampling, roots. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { goodServer } from "./good-server.ts";

const server: Server = goodServer();
await server.connect(new StdioServerTransport());
