import fs, { writeFileSync } from "node:fs";
import { isMainThread, parentPort } from "node:worker_threads";
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

declare global {
  var planted: string | undefined;
}

/** Leaves in its thread whatever code can leave there. */
export const plant = defineTool({
  ...shared,
  name: "Plant",
  inputSchema,
  call: async () => {
    globalThis.planted = "by Plant";
    Object.assign(Object.prototype, { planted: "by Plant" });
    Array.prototype.join = () => "by Plant";
    fs.readFileSync = () => {
      throw new Error("by Plant");
    };
    process.on("exit", () => {});
    process.env["PLANTED"] = "by Plant";
    setInterval(() => {
      globalThis.planted += " again";
    }, 1);
    parentPort?.on("message", () => {});
    return "planted";
  },
});

/** Returns what it finds of that, after the number of listeners and timers, which a new thread has as well. */
export const look = defineTool({
  ...shared,
  name: "Look",
  inputSchema,
  call: async () => {
    const found = {
      global: globalThis.planted,
      prototype: Reflect.get({}, "planted"),
      join: ["a", "b"].join("+") === "a+b" ? undefined : "join",
      variable: process.env["PLANTED"],
    };
    const listeners = process.listenerCount("exit");
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    return Object.entries(found)
      .flatMap(([name, value]) => (value === undefined ? [] : [name]))
      .reduce((list, name) => `${list} ${name}`, `${listeners} listeners, ${timers} timers`);
  },
});
