import type { ToolModule } from "../mailbox/messages.ts";
import type { SealedTool } from "./bind-tool.ts";
import { runTimed } from "./timed-call.ts";
import type { CallContext, ThreadCallContext } from "./tool.ts";

/** A library user's tool in the agent's thread; its first call imports the module, within the call's time. */
export function moduleTool(
  name: string,
  { url, timeoutMs }: ToolModule,
): Pick<SealedTool<ThreadCallContext>, "prepare"> {
  return {
    // The supervisor has checked the input; the tool's own schema checks it again in the thread.
    prepare: (input) => ({
      type: "ready",
      title: name,
      accesses: () => [],
      call: ({ call, actor, cwd, signal, clock }) =>
        runTimed(name, timeoutMs, { clock, signal }, async (ending) => {
          const ready = (await importTool(name, url)).prepare(input);
          if (ready.type === "invalid") return { content: ready.message, isError: true };
          return ready.call({ call, actor, cwd, signal: ending });
        }),
    }),
  };
}

/** Throws if the module cannot be imported or exports no tool of this name. */
async function importTool(name: string, url: string): Promise<SealedTool<CallContext>> {
  const exported: Readonly<Record<string, unknown>> = await import(url);
  const tool = Object.values(exported).find((value) => isTool(value, name));
  if (tool === undefined)
    throw new Error(`${url} exports no tool ${name}; export what defineTool returned for it`);
  return tool;
}

function isTool(value: unknown, name: string): value is SealedTool<CallContext> {
  if (typeof value !== "object" || value === null || !("name" in value) || !("prepare" in value))
    return false;
  return value.name === name && typeof value.prepare === "function";
}
