import { mkdirSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/mailbox/clock.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { openSandbox } from "../../../src/policy/sandbox/open.ts";
import type { SandboxSettings } from "../../../src/policy/sandbox/sandbox.ts";
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
  let runs = 0;
  return openSandbox({
    settings: { mode: "on", autoAllow: false, allowedDomains: [], denyRead: [], ...settings },
    ...{ platform: process.platform, kernel: release(), env: process.env, home: ground.home },
    ...{ troupeHome: ground.troupeHome, temporary: tmpdir(), folders: [ground.workspace] },
    ...{ shell: shell.file, clock: systemClock },
    run: ({ file, args }, { cwd, env, timeoutMs }) =>
      processes.run({
        ...{ id: `probe${runs++}`, owner: MAIN, file, args: [...args], cwd, env: { ...env }, timeoutMs },
        maxOutputBytes: 100_000,
      }),
  });
}
