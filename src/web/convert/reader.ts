import { Worker } from "node:worker_threads";
import type { Clock } from "../../lib/clock.ts";
import type { PageText } from "./html.ts";
import type { RawPage } from "./read-page.ts";

export const READ_MS = 30_000;
/** A page that needs more memory ends its thread, and nothing else. */
const HEAP_MB = 1024;
/** The sources run in development; the bundle has the entry next to it under its built name. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./page-reader.cjs", import.meta.url);

export type ReadResult = PageText | { readonly problem: string };

export interface ReaderPorts {
  readonly clock: Pick<Clock, "after">;
  readonly entry?: URL;
}

/** Makes text of a page in a thread of its own, which is all that a page can harm. Never rejects. */
export async function readInThread(
  page: RawPage,
  { clock, entry = ENTRY }: ReaderPorts,
  signal: AbortSignal,
): Promise<ReadResult> {
  if (signal.aborted) return CANCELLED;
  const { promise, resolve } = Promise.withResolvers<ReadResult>();
  const late = { problem: `it could not be read within ${READ_MS / 1000} s` };
  const withdraw = clock.after(READ_MS, () => resolve(late));
  const cancel = () => resolve(CANCELLED);
  signal.addEventListener("abort", cancel, { once: true });
  let worker: Worker | null = null;
  try {
    worker = new Worker(entry, {
      name: "page reader",
      env: {},
      workerData: page,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    worker.on("message", resolve);
    worker.on("error", (error: Error) =>
      resolve({ problem: `it is too much for the reader (${error.message})` }),
    );
    worker.on("exit", () => resolve({ problem: "the thread that reads pages ended" }));
    return await promise;
  } catch (error) {
    return { problem: `the thread that reads pages cannot be started: ${String(error)}` };
  } finally {
    withdraw();
    signal.removeEventListener("abort", cancel);
    await worker?.terminate();
  }
}

const CANCELLED: ReadResult = { problem: "it was cancelled" };
