import type { Runners } from "../../features/runners/index.ts";
import type { ResumableSession } from "../../session/resume-session.ts";
import type { ReadSettings } from "../../settings/read-settings.ts";
import { listText } from "../../settings/settings-file.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Arguments } from "../arguments.ts";
import { UsageError } from "../exit-codes.ts";
import type { CliIO } from "../process-io.ts";
import { sessionFlags as flags } from "../session-flags.ts";

/** The runners of a session, with what resuming it must name again. */
export interface ChosenRunners {
  readonly runners?: Runners;
  /** The engine that a flag named, without its password. */
  readonly engine?: string;
}

/** Returns nothing if no engine is set. Throws a `UsageError` if runners are wanted, or the resumed session needs them. */
export async function chooseRunners(
  args: Arguments,
  io: CliIO,
  settings: ReadSettings["settings"]["runners"],
  resume: ResumableSession | undefined,
): Promise<ChosenRunners> {
  const given = args.value(flags.engine);
  const engine = given ?? settings.engine;
  const pool = args.value(flags.runners);
  if (engine === undefined && pool !== undefined)
    throw new UsageError("--runners needs an engine: add --engine URL, or set troupe.runners.engine.");
  if (engine === undefined) {
    if (resume !== undefined) assertNoneOnRunners(resume);
    return {};
  }
  const { sessionRunners } = await import("./session-runners.ts");
  const runners = await sessionRunners({ ...settings, engine, ...(pool === undefined ? {} : { pool }) }, io);
  if (given === undefined) return { runners };
  const { withoutPassword } = await import("../../engine/engine-url.ts");
  return { runners, engine: withoutPassword(given) };
}

/** Without an engine they would fail, and their failure would be recorded: no later resume could continue them. */
function assertNoneOnRunners({ state }: ResumableSession): void {
  const pools = new Set<string>();
  for (const { spec, summary } of state.actors.values())
    if (summary === null && spec.pool !== undefined) pools.add(safeLine(spec.pool));
  if (pools.size === 0) return;
  throw new UsageError(
    `Agents of this session are on runners of ${pools.size === 1 ? "pool" : "pools"} ${listText([...pools])}: resume it with --engine URL.`,
  );
}
