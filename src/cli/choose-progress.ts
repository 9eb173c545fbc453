import { isPlain, paintFor } from "../terminal/colour.ts";
import type { CliIO } from "./io.ts";
import { createPlainProgress, type Progress } from "./plain-progress.ts";

/** A live tree on a terminal, plain lines anywhere else. */
export async function chooseProgress({ stderr, env, clock }: CliIO): Promise<Progress> {
  const isLive = stderr.isTTY && !isPlain(env);
  const create = isLive ? (await import("./live-progress.ts")).createLiveProgress : createPlainProgress;
  return create(stderr, clock, paintFor(stderr, env));
}
