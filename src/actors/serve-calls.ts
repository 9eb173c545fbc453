import type { MessagePort } from "node:worker_threads";
import { systemClock } from "../lib/clock.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import { portChannel } from "../mailbox/rpc/channel.ts";
import type { Result } from "../mailbox/rpc/frames.ts";
import { serve } from "../mailbox/rpc/server.ts";
import { ReadLedger } from "../tools/read-ledger.ts";
import { threadTools } from "../tools/thread-tools.ts";
import { moduleTool } from "../tools/tool-module.ts";
import { CALL_NEEDS, THREAD_CALLS, type ThreadCall, type ThreadResult } from "./thread-calls.ts";

export type RunThreadCall = (call: ThreadCall, signal: AbortSignal) => Promise<ThreadResult>;

/** Serves a tool thread: it runs the calls of one actor at a time, and keeps no part of them. `wrap` is for tests. */
export function serveCalls(port: MessagePort, wrap = (run: RunThreadCall) => run): void {
  const channel = portChannel(port);
  const needs = new Caller(CALL_NEEDS, { clock: systemClock, peer: "the supervisor" });
  needs.attach(channel);
  const run = wrap(async ({ tool: name, module, input, context, reads }, signal) => {
    const tool = module ? moduleTool(name, module) : threadTools.find((one) => one.name === name);
    const ready = tool?.prepare(input);
    if (ready?.type !== "ready") throw new Error(`${name} cannot run in a thread`);
    const ledger = new ReadLedger(reads);
    const end = await ready.call({
      ...context,
      ...{ reads: ledger, clock: systemClock, signal },
      hidden: async (paths) =>
        paths.length === 0
          ? new Set()
          : new Set(unwrap(await needs.call("hidden", { call: context.call, paths: [...paths] }))),
      run: async (request) => unwrap(await needs.call("run", request)),
    });
    return { end, reads: ledger.fresh };
  });
  serve(channel, THREAD_CALLS, {
    call: (call, { signal }) => run(call, signal),
    check: async ({ schema, value }) => (await import("./check-data.ts")).checkData(schema, value),
    pulse: () => null,
  });
}

function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.message);
}
