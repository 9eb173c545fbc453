import { setFlagsFromString } from "node:v8";

/** Later versions of Node were not tried: one without the flag would print an error. */
const LAST_TRIED = 26;

/**
 * Keeps V8's young generation, also those of threads, as small as they are. It doubles again and again with what
 * survives, and in a conversation of hundreds of turns it becomes 100 MB of garbage. Node takes a limit only on its own command line.
 */
export function keepHeapSmall(): void {
  if (Number.parseInt(process.versions.node, 10) <= LAST_TRIED)
    setFlagsFromString("--semi-space-growth-factor=1");
}
