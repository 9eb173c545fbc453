/** Runs the command line from its sources, where it was not built. */
import { start } from "./entry.ts";

await start(null);
