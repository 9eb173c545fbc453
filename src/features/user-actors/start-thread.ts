import { MessageChannel, Worker } from "node:worker_threads";
import type { Clock } from "../../lib/clock.ts";
import { Caller } from "../../mailbox/rpc/caller.ts";
import { portChannel } from "../../mailbox/rpc/channel.ts";
import { serve } from "../../mailbox/rpc/server.ts";
import type { Handlers } from "../../mailbox/rpc/table.ts";
import { sessionRequests, threadRequests } from "./thread-requests.ts";

export interface ActorThread {
  readonly requests: Caller<typeof threadRequests>;
  /** Resolves with how it ended, as a clause. */
  readonly ended: Promise<string>;
  terminate(): Promise<unknown>;
}

export type StartActorThread = (name: string, handlers: Handlers<typeof sessionRequests>) => ActorThread;

const HEAP_MB = 256;

/** Returns how threads of actors are started; it does not keep the process alive. */
export function actorThreads(clock: Clock): StartActorThread {
  return (name, handlers) => {
    const { port1, port2 } = new MessageChannel();
    // The sources run in development; the bundle has the entry next to it under its built name.
    const own = import.meta.url.endsWith(".ts") ? "./actor-thread.ts" : "./actor-thread.cjs";
    const worker = new Worker(new URL(own, import.meta.url), {
      name: `actor ${name}`,
      workerData: { port: port2 },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    const channel = portChannel(port1);
    const requests = new Caller(threadRequests, { clock, peer: `The thread of ${name}` });
    requests.attach(channel);
    serve(channel, sessionRequests, handlers);
    worker.once("error", (error: Error) => resolve(error.message));
    worker.once("exit", (code) => {
      resolve(`its thread ended (exit code ${code})`);
      port1.close();
    });
    return { requests, ended, terminate: () => worker.terminate() };
  };
}
