import type { ModelRequest } from "../../src/model/client.ts";
import type { Script, ScriptedTurn } from "../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../src/session/options.ts";
import { repliesIn, stamping } from "../supervisor/resume-world.ts";
import { fastClock, type LinkOptions, openLink } from "../support/link-host.ts";
import { seeded, supervised } from "../support/supervised.ts";

export const TURNS = 6;

/** Six steps, one after the other, then a report: by what its conversation has, whichever attempt asks. */
export const script = (request: ModelRequest): ScriptedTurn => {
  const n = repliesIn(request);
  if (n === TURNS) return { text: "all steps are done" };
  return { text: `step ${n}`, calls: [{ name: "Stamp", input: { mark: `${n}` } }] };
};

/** A session whose main conversation runs over a link. */
export function linked(
  options: Partial<LinkOptions>,
  runners: readonly string[] = ["r1"],
  given: Script = script,
  limits: SupervisorOptions["limits"] = {},
) {
  const done: string[] = [];
  const link = openLink({ random: seeded(3), clock: fastClock, ...options });
  const byName = new Map(runners.map((name) => [name, link.addRunner(name)]));
  const world = supervised("in-thread", given, {
    ...{ host: link.host, tools: [stamping(done)], allowedTools: ["Stamp"] },
    limits: { graceMs: 2_000, ...limits },
  });
  return { ...world, link, done, byName };
}
