import { tmpdir } from "node:os";
import { builderOptions } from "../../features/sandbox/index.ts";
import { lightConfinement } from "../../policy/sandbox/light.ts";
import { openSandbox } from "../../policy/sandbox/open.ts";
import { defaultSandboxSettings, type SandboxReport } from "../../policy/sandbox/sandbox.ts";
import { platformShell } from "../../processes/platform-shell.ts";
import type { Processes } from "../../processes/processes.ts";
import type { Settings } from "../../settings/read-settings.ts";
import type { DoctorCheck } from "./check.ts";

interface Parts {
  readonly settings: Pick<Settings, "sandbox" | "env" | "commandEnv">;
  readonly cwd: string;
  readonly home: string;
  readonly processes: Processes;
}

/** Tries what confines the commands of a session that would be started here. */
export async function checkConfinement({ settings: said, ...place }: Parts): Promise<readonly DoctorCheck[]> {
  const { cwd, home, processes } = place;
  const settings = { ...defaultSandboxSettings, ...said.sandbox };
  const { env, commandEnv } = said;
  const building = builderOptions({ cwd, env, commandEnv }, { home, processes });
  const light = await lightConfinement({ ...building, settings }).report();
  const confinement = confinementCheck("confinement", settings.readOnly, light);
  if (settings.mode === "off")
    return [confinement, { name: "sandbox", state: "ok", text: "off (troupe.sandbox.mode)" }];
  const shell = platformShell(process.platform, process.env)?.file ?? "/bin/bash";
  const sandbox = openSandbox({ ...building, settings, temporary: tmpdir(), shell });
  const report = await sandbox.ready;
  await sandbox.close();
  return [confinement, confinementCheck("sandbox", true, report)];
}

function confinementCheck(name: string, isWanted: boolean, { state, reason }: SandboxReport): DoctorCheck {
  const why = reason === "" ? "" : `: ${reason}`;
  if (!isWanted) return { name, state: "ok", text: `off${why}` };
  if (state === "enforced") return { name, state: "ok", text: `enforced${why}` };
  return { name, state: "wrong", text: `does not work here${why}` };
}
