import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { SupervisorEvent } from "../../src/events/event.ts";
import { type Script, type ScriptedModel, scriptedModel } from "../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../src/session/options.ts";
import { Supervisor } from "../../src/session/supervisor.ts";
import { inThreadHost } from "./in-thread-host.ts";
import { openLink } from "./link-host.ts";
import { isLong } from "./long.ts";
import { seededScheduler } from "./scheduler.ts";
import { temporaryFolder } from "./temporary.ts";

/** Both hosts an actor may live on; the long run has both. */
const hosts = ["worker threads", "in-thread", "link"] as const;
export type HostName = (typeof hosts)[number];
/** Where the thread matters (gate, mail, stopping, resuming): every day on the host that ships. */
export const shippedHosts: readonly HostName[] = isLong ? hosts : ["worker threads"];
/** Where both would show the same: threads cost a boot for each agent. */
export const everyDayHosts: readonly HostName[] = isLong ? hosts : ["in-thread"];

export interface Supervised {
  readonly supervisor: Supervisor;
  readonly model: ScriptedModel;
  readonly cwd: string;
  readonly home: string;
  readonly events: SupervisorEvent[];
}

/** A real supervisor in temporary folders over a scripted model; closed when the test has ended. */
export function supervised(
  host: HostName,
  script: Script,
  options: Partial<SupervisorOptions> & { readonly files?: Readonly<Record<string, string>> } = {},
): Supervised {
  const { files = {}, ...own } = options;
  const cwd = temporaryFolder();
  const home = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const model = scriptedModel(script);
  const events: SupervisorEvent[] = [];
  const supervisor = new Supervisor({
    cwd,
    home,
    source: { provider: "client", client: model },
    onEvent: (event) => events.push(event),
    ...hostOf(host, 11),
    ...own,
    // A script's failures are meant; tests of patience ask for it. A server may be slow on a machine that is busy.
    limits: { patienceMs: 0, mcpStartMs: 50_000, ...own.limits },
  });
  onTestFinished(() => supervisor.close());
  return { supervisor, model, cwd, home, events };
}

/** Where actors run; the one that ships is not named. */
export function hostOf(host: HostName, seed: number): Pick<SupervisorOptions, "host"> {
  switch (host) {
    case "worker threads":
      return {};
    case "in-thread":
      return { host: inThreadHost(seededScheduler(seeded(seed))) };
    case "link": {
      const link = openLink({ random: seeded(seed) });
      link.addRunner("r1");
      return { host: link.host };
    }
    default:
      return host satisfies never;
  }
}

/** A small seeded generator, so that an order that fails can be played again. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
}
