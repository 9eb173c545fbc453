import { isDumb, paintFor } from "./colour.ts";
import type { CliIO } from "./io.ts";
import { createLiveProgress } from "./live-progress.ts";
import { createPlainProgress } from "./plain-progress.ts";
import type { Progress } from "./progress.ts";

/** A live tree on a terminal, plain lines anywhere else. */
export function chooseProgress({ stderr, env, clock }: CliIO): Progress {
  const paint = paintFor(stderr, env);
  const live = stderr.isTTY && !isDumb(env);
  return live ? createLiveProgress(stderr, clock, paint) : createPlainProgress(stderr, clock, paint);
}
