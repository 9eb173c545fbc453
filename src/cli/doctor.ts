import { tmpdir } from "node:os";
import { builderOptions } from "../features/sandbox/index.ts";
import { troupeHome } from "../journal/paths.ts";
import { lightConfinement } from "../policy/sandbox/light.ts";
import { openSandbox } from "../policy/sandbox/open.ts";
import { defaultSandboxSettings, type SandboxReport } from "../policy/sandbox/sandbox.ts";
import { startProcesses } from "../processes/client.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Arguments } from "./arguments.ts";
import { workingDir } from "./directories.ts";
import type { CliIO } from "./io.ts";
import { sessionFlags } from "./session-flags.ts";
import { sessionSettings } from "./session-settings.ts";

/** One thing that was tried. `failing`: settings ask for it, and it does not work here. */
export interface DoctorCheck {
  readonly name: "confinement" | "sandbox";
  readonly state: "enforced" | "off" | "failing";
  /** Why it fails, and what to do about it. */
  readonly reason: string;
}

/** Tries what confines the commands of a session that would be started here. */
export async function diagnose(
  args: Arguments,
  io: CliIO,
): Promise<{ readonly checks: readonly DoctorCheck[]; readonly notes: readonly string[] }> {
  const cwd = await workingDir(args, io);
  const home = troupeHome(io.env, io.homedir);
  const { read, notes } = await sessionSettings(io, { cwd, home, trusts: args.value(sessionFlags.trust) });
  const settings = { ...defaultSandboxSettings, ...read.settings.sandbox };
  const { env, commandEnv } = read.settings;
  const processes = startProcesses({ env: { ...process.env, ...env }, commandEnv });
  const building = builderOptions({ cwd, env, commandEnv }, { home, processes });
  try {
    const light = await lightConfinement({ ...building, settings }).report();
    const checks = [check("confinement", settings.readOnly, light)];
    if (settings.mode === "off") return { checks: [...checks, OFF], notes };
    const shell = platformShell(process.platform, process.env)?.file ?? "/bin/bash";
    const sandbox = openSandbox({ ...building, settings, temporary: tmpdir(), shell });
    const report = await sandbox.ready;
    await sandbox.close();
    return { checks: [...checks, check("sandbox", true, report)], notes };
  } finally {
    await processes.close();
  }
}

const OFF: DoctorCheck = { name: "sandbox", state: "off", reason: "" };

function check(name: DoctorCheck["name"], isWanted: boolean, { state, reason }: SandboxReport): DoctorCheck {
  if (!isWanted) return { name, state: "off", reason };
  return { name, state: state === "enforced" ? "enforced" : "failing", reason };
}
