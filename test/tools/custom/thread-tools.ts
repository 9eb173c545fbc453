import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import * as z from "zod/mini";
import { defineTool } from "../../../src/tools/define-tool.ts";

const shared = { module: import.meta.url, description: "A test's.", permissionLevel: "read" } as const;
const inputSchema = z.object({});

let calls = 0;

/** How often this tool was called in its thread. */
export const count = defineTool({
  ...shared,
  name: "Count",
  inputSchema,
  call: async () => {
    calls += 1;
    return `calls: ${calls}`;
  },
});

export const where = defineTool({
  ...shared,
  name: "Where",
  inputSchema,
  call: async () => `main thread: ${isMainThread}, variables: ${Object.keys(process.env).length}`,
});

/** Writes what its signal says into the file, and returns nothing, ever. */
export const never = defineTool({
  ...shared,
  name: "Never",
  inputSchema: z.object({ file: z.string() }),
  timeoutMs: 500,
  call: ({ file }, { signal }) =>
    new Promise<string>(() => {
      signal.addEventListener("abort", () => writeFileSync(file, String(signal.reason)));
    }),
});

export const spin = defineTool({
  ...shared,
  name: "Spin",
  inputSchema,
  call: async () => {
    for (;;);
  },
});

export const quit = defineTool({
  ...shared,
  name: "Quit",
  inputSchema,
  call: async () => process.exit(7),
});
