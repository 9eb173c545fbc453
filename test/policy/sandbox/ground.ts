import { mkdirSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { openSandbox } from "../../../src/policy/sandbox/open.ts";
import type { Run } from "../../../src/policy/sandbox/probe.ts";
import { defaultSandboxSettings, type SandboxSettings } from "../../../src/policy/sandbox/sandbox.ts";
import { platformShell } from "../../../src/processes/platform-shell.ts";
import type { Processes } from "../../../src/processes/processes.ts";

/** Everything a session's sandbox needs, below one folder. */
export function groundIn(folder: string) {
  const [workspace, home, troupeHome] = ["workspace", "home", "troupe"].map((name) => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  }) as [string, string, string];
  return { workspace, home, troupeHome };
}

export function sandboxOn(
  ground: ReturnType<typeof groundIn>,
  processes: Processes,
  settings: Partial<SandboxSettings> = {},
) {
  const shell = platformShell(process.platform, process.env);
  if (shell === null) throw new Error("there is no bash");
  return openSandbox({
    settings: { ...defaultSandboxSettings, mode: "on", ...settings },
    ...{ platform: process.platform, kernel: release(), env: process.env, home: ground.home },
    ...{ troupeHome: ground.troupeHome, temporary: tmpdir(), directories: [ground.workspace] },
    shell: shell.file,
    run: runWith(processes),
  });
}

/** Starts programs of the sandbox as a session does. */
export function runWith(processes: Processes): Run {
  let runs = 0;
  return ({ file, args }, { env, confined, maxOutputBytes = 100_000, ...rest }) =>
    processes.run({
      ...{ id: `probe${runs++}`, owner: MAIN, file, args: [...args], env: { ...env }, maxOutputBytes },
      ...rest,
      ...(confined === undefined ? {} : { confined }),
    });
}
