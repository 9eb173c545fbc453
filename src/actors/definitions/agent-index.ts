import { type KeptIndex, keptIn } from "../../context/kept-index.ts";
import type { ReadAgent } from "./agent-file.ts";

/** Raised when what is read of a file changes its meaning, or its shape. */
const VERSION = 2;

export function agentIndex(home: string, cwd: string): KeptIndex<ReadAgent> {
  return { path: keptIn(home, "agents", cwd), version: VERSION };
}
