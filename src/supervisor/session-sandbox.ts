import { homedir, release, tmpdir } from "node:os";
import type { Clock } from "../mailbox/clock.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Isolation } from "../mailbox/worktree.ts";
import type { Enclosure } from "../policy/confinement/territory.ts";
import { gitPlaceOf } from "../policy/sandbox/git-place.ts";
import { openSandbox } from "../policy/sandbox/open.ts";
import {
  defaultSandboxSettings,
  type SandboxPlace,
  type SandboxReport,
  type SandboxSettings,
} from "../policy/sandbox/sandbox.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Processes } from "../processes/processes.ts";
import type { CommandSandbox } from "./commands.ts";
import type { Actors } from "./desk.ts";
import type { SandboxState } from "./gate.ts";
import type { SupervisorOptions } from "./options.ts";
import { territoryOf, treeOf } from "./territory.ts";

export interface SandboxParts {
  /** Troupe's own. */
  readonly home: string;
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly actors: Pick<Actors, "find">;
  /** The tree that this folder is in, as the session holds it. */
  readonly treeAt: (root: string) => Enclosure | null;
  /** Folders that commands may read besides: what earlier ones wrote. */
  readonly readable: readonly string[];
  readonly onWarning: (message: string) => void;
}

/** The session's sandbox: what the gate asks of it, and what commands run in; null where it is off. */
export interface SessionSandbox extends SandboxState {
  readonly commands: CommandSandbox | null;
  /** Resolves, and never rejects, when it is known what holds commands; null where nothing is to be waited for. */
  readonly known: Promise<void> | null;
  /**
   * What holds the commands of an agent with this root, once it is known (A4.6); empty: nothing does. `isolation`: of
   * the tree that it is to have.
   */
  describe(root: string, isolation?: Isolation): string;
  close(): Promise<void>;
}

const MAX_PROBE_BYTES = 64 * 1024;

export function commandSandbox(options: SupervisorOptions, parts: SandboxParts): SessionSandbox {
  const settings = { ...defaultSandboxSettings, ...options.sandbox };
  if (settings.mode === "off")
    return {
      ...{ settings, commands: null, known: null },
      report: async () => null,
      describe: () => "",
      close: async () => {},
    };
  const { home, processes, clock, actors, treeAt, readable, onWarning } = parts;
  const folders = [options.cwd, ...(options.additionalDirs ?? [])];
  let probes = 0;
  let closed = false;
  // Opened at the start: what holds commands is part of what the first agent is told.
  const sandbox = openSandbox({
    ...{ settings, platform: process.platform, kernel: release(), env: process.env },
    ...{ home: homedir(), troupeHome: home, temporary: tmpdir(), folders, clock },
    shell: platformShell(process.platform, process.env)?.file ?? "/bin/bash",
    run: (program, { cwd, env, timeoutMs }) =>
      processes.run({
        ...{ id: `sandbox-probe-${++probes}`, owner: MAIN, file: program.file, args: [...program.args] },
        ...{ cwd, env: { ...env }, timeoutMs, maxOutputBytes: MAX_PROBE_BYTES },
      }),
  });
  const placeFor = (root: string, tree: Enclosure | null): SandboxPlace =>
    tree === null
      ? { writable: [root, ...folders], readable: [...readable] }
      : // The checkout is not its own, and neither is what the session may write besides.
        { writable: [tree.path], readable: [...readable], git: gitPlaceOf(tree) };
  // The same bytes for every agent of a session: what is denied is looked up on the disk.
  const described = new Map<string, string>();
  return {
    settings,
    report: () => sandbox.ready,
    known: sandbox.ready.then((report) => {
      const lack = lackOf(settings, report);
      if (lack !== null && !closed) onWarning(lack);
    }),
    describe(root, isolation) {
      const known =
        described.get(root) ?? sandbox.describe(placeFor(root, treeOf(root, isolation, treeAt(root))));
      described.set(root, known);
      return known;
    },
    commands: {
      sandbox,
      mode: settings.mode,
      place(owner) {
        const actor = actors.find(owner);
        if (actor === undefined) return placeFor(options.cwd, null);
        return placeFor(actor.root, territoryOf(actor, treeAt(actor.root)).tree);
      },
    },
    async close() {
      closed = true;
      await sandbox.close();
    },
  };
}

/** What a person who has switched the sandbox on must know of it at the start; null where it holds all it should. */
export function lackOf(
  { mode }: Pick<SandboxSettings, "mode">,
  { state, reason }: SandboxReport,
): string | null {
  switch (state) {
    case "enforced":
      return reason === "" ? null : reason;
    case "partial":
      return `The sandbox does not hold everything. ${reason}`;
    case "unavailable":
      return mode === "required"
        ? `There is no sandbox here, and troupe.sandbox.mode is required: no command will run. ${reason}`
        : `There is no sandbox here, though troupe.sandbox.mode is on: commands run without one, and each that does more than read is a question. ${reason}`;
    default:
      return state satisfies never;
  }
}
