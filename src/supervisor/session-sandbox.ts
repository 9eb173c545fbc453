import { homedir, release, tmpdir } from "node:os";
import type { Clock } from "../mailbox/clock.ts";
import { MAIN } from "../mailbox/ids.ts";
import { openSandbox } from "../policy/sandbox/open.ts";
import { defaultSandboxSettings, type Sandbox } from "../policy/sandbox/sandbox.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Processes } from "../processes/processes.ts";
import type { CommandSandbox } from "./commands.ts";
import type { Actors } from "./desk.ts";
import type { SandboxState } from "./gate.ts";
import type { SupervisorOptions } from "./options.ts";

export interface SandboxParts {
  /** Troupe's own. */
  readonly home: string;
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly actors: Pick<Actors, "find">;
  /** Folders that commands may read besides: what earlier ones wrote. */
  readonly readable: readonly string[];
}

/** The session's sandbox: what the gate asks of it, and what commands run in; null where it is off. */
export interface SessionSandbox extends SandboxState {
  readonly commands: CommandSandbox | null;
  close(): Promise<void>;
}

const MAX_PROBE_BYTES = 64 * 1024;

export function commandSandbox(options: SupervisorOptions, parts: SandboxParts): SessionSandbox {
  const settings = { ...defaultSandboxSettings, ...options.sandbox };
  if (settings.mode === "off")
    return { settings, report: async () => null, commands: null, close: async () => {} };
  const { home, processes, clock, actors, readable } = parts;
  const folders = [options.cwd, ...(options.additionalDirs ?? [])];
  let opened: Sandbox | null = null;
  let probes = 0;
  // Opened by the first command: many sessions never run one.
  const sandbox = () => {
    opened ??= openSandbox({
      ...{ settings, platform: process.platform, kernel: release(), env: process.env },
      ...{ home: homedir(), troupeHome: home, temporary: tmpdir(), folders, clock },
      shell: platformShell(process.platform, process.env)?.file ?? "/bin/bash",
      run: (program, { cwd, env, timeoutMs }) =>
        processes.run({
          ...{ id: `sandbox-probe-${++probes}`, owner: MAIN, file: program.file, args: [...program.args] },
          ...{ cwd, env: { ...env }, timeoutMs, maxOutputBytes: MAX_PROBE_BYTES },
        }),
    });
    return opened;
  };
  return {
    settings,
    report: () => sandbox().ready,
    commands: {
      get sandbox() {
        return sandbox();
      },
      mode: settings.mode,
      place: (owner) => ({
        writable: [actors.find(owner)?.spec.root ?? options.cwd, ...folders],
        readable: [...readable],
      }),
    },
    close: async () => opened?.close(),
  };
}
