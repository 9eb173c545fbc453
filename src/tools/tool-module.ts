import { realpathSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Clock } from "../lib/clock.ts";
import type { ToolModule } from "../mailbox/messages.ts";
import type { SealedTool, ToolEnd } from "./bind-tool.ts";
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

/**
 * Runs a library user's call. At its deadline its signal is aborted and the result says so; whatever the tool does after
 * that is ignored.
 */
export async function runTimed(
  name: string,
  timeoutMs: number,
  { clock, signal }: { readonly clock: Pick<Clock, "after">; readonly signal: AbortSignal },
  run: (signal: AbortSignal) => Promise<ToolEnd>,
): Promise<ToolEnd> {
  const deadline = new AbortController();
  const late = Promise.withResolvers<ToolEnd>();
  const withdraw = clock.after(timeoutMs, () => {
    const reason = `${name} did not return within ${timeoutMs / 1_000} s`;
    deadline.abort(new Error(`${reason}.`));
    const content = `${reason}. Its signal was aborted and its result is unknown; part of its work may be done. Check that before you call ${name} again.`;
    late.resolve({ content, isError: true, overdue: true });
  });
  // The timer of a stopped agent would outlive the session.
  signal.addEventListener("abort", withdraw, { once: true });
  try {
    const result = run(AbortSignal.any([signal, deadline.signal]));
    result.catch(() => {});
    return await Promise.race([result, late.promise]);
  } finally {
    withdraw();
    signal.removeEventListener("abort", withdraw);
  }
}

/** Returns why a thread cannot import the module of a tool or an actor, as the end of a sentence, or null. */
export function moduleProblem(module: string, what: "tool" | "actor"): string | null {
  const written = `; write \`module: import.meta.url\` in the module that exports the ${what}.`;
  if (!URL.canParse(module) || new URL(module).protocol !== "file:")
    return `is ${JSON.stringify(module)}, which is not the URL of a file${written}`;
  const [, program] = process.argv;
  if (program === undefined || realUrl(program) !== realUrl(fileURLToPath(module))) return null;
  const instead = what === "tool" ? ', or declare `runsIn: "caller"`' : "";
  return `is the program itself, which each thread would run again. Move the ${what} to a module of its own${instead}.`;
}

function realUrl(path: string): string {
  try {
    return pathToFileURL(realpathSync(path)).href;
  } catch {
    return path;
  }
}
