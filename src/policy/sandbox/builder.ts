import { join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import type { Confined } from "../../mailbox/confined.ts";
import { type Findings, probe, type Run } from "./probe.ts";
import { keepProbe, type Probed, probeKey, readProbe } from "./probe-cache.ts";
import { trustedProgram } from "./programs.ts";
import { kernelSwitch, whyNotHere, whyNotStarted } from "./why-none.ts";

/** What confinements are built from and tried with. */
export interface BuilderOptions {
  readonly platform: NodeJS.Platform;
  /** The kernel's release, as `os.release()` says it. */
  readonly kernel: string;
  /** What commands get of the user's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly troupeHome: string;
  /** The workspace: no program that builds a confinement is taken from it. */
  readonly directories: readonly string[];
  /** Starts a program like all others of the session. */
  readonly run: Run;
}

/** The program that builds confinements here, and the directory that it needs. */
export interface Builder {
  readonly program: string;
  readonly state: string;
}

/** A sentence if there can be none. */
export function findBuilder(
  options: Pick<BuilderOptions, "platform" | "kernel" | "env" | "directories" | "troupeHome">,
): Builder | string {
  const { platform, kernel, env, directories, troupeHome } = options;
  const name = platform === "darwin" ? "sandbox-exec" : "bwrap";
  const program = trustedProgram(name, env["PATH"], directories);
  const none = whyNotHere(platform, kernel, program);
  if (none !== null || program === null) return none ?? "sandbox-exec is missing from this macOS.";
  return { program, state: join(troupeHome, "sandbox") };
}

/** Tries a type of confinement once per machine, or reads an earlier result. Never rejects. */
export async function tryOut(
  type: Confined["type"],
  { program, state }: Builder,
  { platform, run }: BuilderOptions,
  judge: (found: Findings, weaker: boolean) => Probed["report"],
): Promise<Probed> {
  const file = join(state, `probe-${type}.json`);
  const key = probeKey(platform, [program, process.execPath]);
  const known = key === null ? null : readProbe(file, key);
  if (known !== null) return known;
  const attempt = async (weaker: boolean): Promise<Probed | string> => {
    const found = await probe({
      ...{ platform, run, state },
      confined: (seen) => ({ type, builder: program, state, seen: [...seen], ...(weaker ? { weaker } : {}) }),
    }).catch((error) => errorMessage(error));
    return typeof found === "string" ? found : { report: judge(found, weaker), weaker };
  };
  const strict = await attempt(false);
  // A container that forbids mounting /proc can still do the rest.
  const probed = typeof strict === "string" && /proc/i.test(strict) ? await attempt(true) : strict;
  if (typeof probed === "string") {
    const said = typeof strict === "string" ? strict : probed;
    return { report: { state: "unavailable", reason: whyNotStarted(said, kernelSwitch) }, weaker: false };
  }
  if (key !== null) keepProbe(file, key, probed);
  return probed;
}
