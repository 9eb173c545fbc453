import type { ThreadKind } from "../lib/threads.ts";

/** In `dist` all bundles are in one directory; in development the sources run. */
export const GATEWAY_THREAD: ThreadKind = {
  name: "model gateway",
  entry: new URL(
    import.meta.url.endsWith(".ts") ? "./gateway-thread.ts" : "./gateway-thread.cjs",
    import.meta.url,
  ),
};
