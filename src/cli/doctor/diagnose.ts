import { tmpdir } from "node:os";
import { builderOptions } from "../../features/sandbox/index.ts";
import { troupeHome } from "../../journal/paths.ts";
import { lightConfinement } from "../../policy/sandbox/light.ts";
import { openSandbox } from "../../policy/sandbox/open.ts";
import { defaultSandboxSettings, type SandboxReport } from "../../policy/sandbox/sandbox.ts";
import { credentialsIn } from "../../policy/secrets/redactor.ts";
import { startProcesses } from "../../processes/client.ts";
import { platformShell } from "../../processes/platform-shell.ts";
import type { Processes } from "../../processes/processes.ts";
import { settingsPaths } from "../../settings/paths.ts";
import type { Settings } from "../../settings/read-settings.ts";
import { readServerFiles } from "../../settings/server-files.ts";
import { readSettingsFiles } from "../../settings/settings-file.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { whereOf, workingDir } from "../directories.ts";
import { serversHere } from "../mcp/servers-here.ts";
import { sessionFlags } from "../session-flags.ts";
import { sessionSettings } from "../session-settings.ts";
import { modelOf } from "../session-setup.ts";
import { type DoctorCheck, tryCheck, withoutSecrets } from "./check.ts";
import { checkHooks, checkPlugins, checkServers, checkSettings, checkTrust } from "./configuration.ts";
import { checkGit, checkNode, checkRipgrep, checkTerminal } from "./machine.ts";
import { checkModel } from "./model.ts";

/** Looks at all that a session here would use. `all`: each thing that needs trust. Starts nothing that is not trusted. */
export async function diagnose(
  args: Arguments,
  context: Context,
  all: boolean,
): Promise<readonly DoctorCheck[]> {
  const { io } = context;
  const cwd = await workingDir(args, io);
  const home = troupeHome(io.env, io.homedir);
  const trusts = args.value(sessionFlags.trust);
  const pluginDirs = args.value(sessionFlags.pluginDir);
  const { read, plugins } = await sessionSettings(io, { cwd, home, trusts, pluginDirs });
  const where = whereOf(io, cwd);
  const files = [...(await readSettingsFiles(settingsPaths(where))), ...(await readServerFiles(where))];
  const { settings } = read;
  const env = { ...io.env, ...settings.env };
  const secrets = [...credentialsIn(env), ...settings.redact];
  const processes = startProcesses({
    env: { ...process.env, ...settings.env },
    commandEnv: settings.commandEnv,
  });
  try {
    const checks = await Promise.all([
      [checkNode()],
      tryCheck(io, "git", "Asking git for its version", async () => [
        await checkGit(processes, cwd, io.homedir),
      ]),
      tryCheck(io, "ripgrep", "Trying ripgrep", async () => [await checkRipgrep(processes, io.homedir)]),
      tryCheck(io, "confinement", "Trying the confinement of commands", () =>
        checkConfinement(settings, cwd, { home, processes }),
      ),
      tryCheck(io, "model", "Asking the model", async () => {
        const choice = await modelOf(args, context, env, { cwd, read });
        if ("apiKey" in choice.source && choice.source.apiKey !== undefined)
          secrets.push(choice.source.apiKey);
        return [await checkModel(choice, { args, io, env, settings })];
      }),
      [checkTerminal(io)],
      checkSettings(files, read),
      [checkTrust(read, all)],
      tryCheck(io, "servers", "Waiting for MCP servers", async () =>
        checkServers(await serversHere(args, context), io),
      ),
      checkPlugins(plugins),
      checkHooks(read),
    ]);
    return withoutSecrets(checks.flat(), secrets);
  } finally {
    await processes.close();
  }
}

/** Tries what confines the commands of a session that would be started here. */
async function checkConfinement(
  { env, commandEnv, sandbox: given }: Settings,
  cwd: string,
  where: { readonly home: string; readonly processes: Processes },
): Promise<readonly DoctorCheck[]> {
  const settings = { ...defaultSandboxSettings, ...given };
  const building = builderOptions({ cwd, env, commandEnv }, where);
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
