import type { ThreadKind } from "../lib/threads.ts";

/** In `dist` all bundles are in one directory; in development the sources run. */
export const JOURNAL_THREAD: ThreadKind = {
  name: "journal",
  entry: new URL(import.meta.url.endsWith(".ts") ? "./writer.ts" : "./journal-writer.cjs", import.meta.url),
};
