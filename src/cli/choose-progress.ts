import { isDumb, paintFor } from "./colour.ts";
import type { CliIO } from "./io.ts";
import { createLiveProgress } from "./live-progress.ts";
import { createPlainProgress, type Progress } from "./plain-progress.ts";

/** A live tree on a terminal, plain lines anywhere else. */
export function chooseProgress({ stderr, env, clock }: CliIO): Progress {
  const create = stderr.isTTY && !isDumb(env) ? createLiveProgress : createPlainProgress;
  return create(stderr, clock, paintFor(stderr, env));
}
