import { closeSync, rmSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import { lightConfinement } from "../../../src/policy/sandbox/light.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { confine } from "../../../src/processes/confine.ts";
import type { Rule } from "../../../src/settings/permissions.ts";
import { runWith } from "../sandbox/ground.ts";
import { checkLines, type Found } from "./check-lines.ts";
import { makeDice } from "./dice.ts";
import { READ_DENIES } from "./difference.ts";
import { randomLine, readKnown } from "./random-line.ts";
import { Copies, type Ground, makeRoot } from "./repository.ts";
import type { Box } from "./run-lines.ts";

const BATCH = 600;
const RULES = READ_DENIES.map(({ rule }): Rule => ({ text: rule, behaviour: "deny", scope: "project" }));

/** Runs lines of all sorts, without asking the policy, in the read-only confinement; returns how many ran. */
export async function fuzzConfinement(
  lines: number,
  seed: number,
  onFound: (found: Found) => void,
): Promise<{ ran: number; differed: number }> {
  // Below /tmp, as the workspaces of other tests: not in memory, which a confinement has a private place for.
  const root = makeRoot(tmpdir());
  const processes = startProcesses({ env: process.env, commandEnv: [] });
  const counts = { ran: 0, differed: 0 };
  const opened: Box[] = [];
  const box = async (ground: Ground) => {
    const { confined } = await prepareConfinement(ground, runWith(processes));
    return (io: string): Box => {
      const seen = [...confined.seen, { as: "write", path: io } as const];
      const { file, args, descriptors } = confine(
        { ...confined, seen },
        { file: "", args: [], cwd: ground.ws },
      );
      opened.push({ args: [file, ...args.slice(0, -1)], descriptors });
      return opened.at(-1) as Box;
    };
  };
  try {
    const copies = new Copies(root);
    const { known } = readKnown();
    for (let batch = 0; counts.ran < lines; batch++) {
      const dice = makeDice(seed * 1_000_003 + batch);
      const grounds = copies.make(`b${batch}`, 1);
      const [ground] = grounds as [Ground];
      const judged = Array.from({ length: Math.min(BATCH, lines - counts.ran) }, () => ({
        line: randomLine(dice, known, null).line,
        claim: { kind: "boxed" } as const,
        ground,
      }));
      const { found } = await checkLines({ root, name: `b${batch}`, copies, judged, box });
      counts.ran += judged.length;
      counts.differed += found.length;
      for (const one of found) onFound(one);
      copies.remove(grounds);
    }
    return counts;
  } finally {
    for (const descriptor of opened.flatMap(({ descriptors }) => descriptors)) closeSync(descriptor);
    await processes.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function prepareConfinement({ ws, home }: Ground, run: ReturnType<typeof runWith>) {
  const light = lightConfinement({
    settings: { readOnly: true, denyRead: [] },
    platform: process.platform,
    kernel: release(),
    env: { ...process.env, HOME: home },
    home,
    troupeHome: join(home, ".troupe"),
    directories: [ws],
    run,
  });
  const engine = engineOf(RULES, { projectRoot: ws, home, platform: process.platform });
  const workspace = { roots: [ws], readable: [], rules: RULES, hides: engine.hides(ws, "asks-too") };
  const prepared = await light.prepare("read", workspace);
  if (prepared === null) throw new Error((await light.report()).reason);
  return prepared;
}
