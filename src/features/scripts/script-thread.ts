import { parentPort } from "node:worker_threads";
import { newQuickJSWASMModuleFromVariant, type QuickJSHandle } from "quickjs-emscripten-core";
import { systemClock } from "../../lib/clock.ts";
import { Caller } from "../../mailbox/rpc/caller.ts";
import { portChannel } from "../../mailbox/rpc/channel.ts";
import { serve } from "../../mailbox/rpc/server.ts";
import type { RequestOf, ResponseOf } from "../../mailbox/rpc/table.ts";
import { functionOf, SCRIPT_GLOBALS } from "./script-source.ts";
import { ScriptNews, scriptNeeds, scriptRequests } from "./thread-requests.ts";

/** The engine's own limits: a script that needs more of them ends with an error. */
const MEMORY_BYTES = 128 * 1024 * 1024;
const STACK_BYTES = 512 * 1024;
/** Milliseconds that a script may compute without waiting for anything. */
const COMPUTE_MS = 10_000;

type Order = RequestOf<typeof scriptRequests, "run">;
type End = ResponseOf<typeof scriptRequests, "run">;

type Posted =
  | ScriptNews
  | End
  | { readonly type: "agent"; readonly id: number; readonly prompt: unknown; readonly options: unknown };

const TOO_LONG: End = {
  type: "threw",
  message: `it computed for ${COMPUTE_MS / 1000} s without waiting for an agent`,
};

function thrown({ name, message }: { readonly name?: string; readonly message?: string }): End {
  return { type: "threw", message: `${name}: ${message}` };
}

/**
 * Runs a script in an engine of its own, which has no files, no network, no clock and no module: what it can reach is what
 * `SCRIPT_GLOBALS` gives it. Resolves with how it ended.
 */
async function runScript(
  order: Order,
  session: Caller<typeof scriptNeeds>,
  tell: (news: ScriptNews) => void,
): Promise<End> {
  const { name, source, ...data } = order;
  const code = functionOf(name, source);
  const engine = await newQuickJSWASMModuleFromVariant(import("@jitl/quickjs-wasmfile-release-sync"));
  const runtime = engine.newRuntime({ memoryLimitBytes: MEMORY_BYTES, maxStackSizeBytes: STACK_BYTES });
  const context = runtime.newContext();
  const { promise, resolve } = Promise.withResolvers<End>();
  let until = performance.now() + COMPUTE_MS;
  let isLate = false;
  runtime.setInterruptHandler(() => {
    isLate ||= performance.now() > until;
    return isLate;
  });

  /** Whatever it says of its end, a script that computes for too long has ended by that. */
  const end = (how: End) => resolve(isLate ? TOO_LONG : how);
  /** Lets the script compute until it waits again. */
  const enter = (object: QuickJSHandle, method: string, ...args: QuickJSHandle[]) => {
    until = performance.now() + COMPUTE_MS;
    const called = context.callMethod(object, method, args);
    const failed = called.error ?? runtime.executePendingJobs().error;
    if (failed) end(thrown(context.dump(failed)));
    if (isLate) resolve(TOO_LONG);
  };

  const post = context.newFunction("post", (text) => {
    const message: Posted = JSON.parse(context.getString(text));
    if (message.type === "agent") {
      const { id, prompt, options } = message;
      void session.call("agent", { prompt, options }).then((result) => {
        const answer = result.ok ? { id, ...result.value } : { id, error: result.message };
        enter(globals, "deliver", context.newString(JSON.stringify(answer)));
      });
    } else if (message.type === "returned" || message.type === "threw") end(message);
    else tell(ScriptNews.parse(message));
  });
  const setUp = context.unwrapResult(context.evalCode(SCRIPT_GLOBALS, "troupe"));
  const json = context.newString(JSON.stringify(data));
  const globals = context.unwrapResult(context.callFunction(setUp, context.undefined, post, json));
  const main = context.evalCode(code, name);
  if (main.error) return thrown(context.dump(main.error));
  enter(globals, "begin", main.value);
  return promise;
}

const port = parentPort;
// That Node's remover of types is new is nothing to users.
process.removeAllListeners("warning");
if (port) {
  const channel = portChannel(port);
  const session = new Caller(scriptNeeds, { clock: systemClock, peer: "The session" });
  session.attach(channel);
  serve(channel, scriptRequests, {
    run: (order, { event }) => runScript(order, session, event),
    pulse: async () => null,
  });
}
