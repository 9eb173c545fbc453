import { homedir, release, tmpdir } from "node:os";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Isolation } from "../../mailbox/worktree.ts";
import {
  type AddedDirs,
  type Enclosure,
  enclosingWorktree,
  type ScopedActor,
  writeScope,
} from "../../policy/confinement/write-scope.ts";
import type { Twin } from "../../policy/engine/place.ts";
import type { BuilderOptions } from "../../policy/sandbox/find-builder.ts";
import { gitPlaceOf } from "../../policy/sandbox/git-place.ts";
import { lightConfinement } from "../../policy/sandbox/light.ts";
import { openSandbox } from "../../policy/sandbox/open.ts";
import {
  defaultSandboxSettings,
  type SandboxPlace,
  type SandboxReport,
  type SandboxSettings,
} from "../../policy/sandbox/sandbox.ts";
import { commandEnvironment } from "../../processes/environment.ts";
import { platformShell } from "../../processes/platform-shell.ts";
import type { Processes } from "../../processes/processes.ts";
import type { CommandSandbox } from "../background/commands.ts";
import type { SandboxState } from "../gate/gate.ts";

export interface SandboxOptions {
  readonly cwd: string;
  readonly additionalDirs?: readonly string[];
  /** Environment variables of commands in addition to the process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables that commands get in addition to the usual ones. */
  readonly commandEnv?: readonly string[];
  readonly sandbox?: Partial<SandboxSettings>;
}

export interface SandboxParts {
  /** Troupe's own. */
  readonly home: string;
  readonly processes: Pick<Processes, "run">;
  readonly actors: {
    /** `rootHere`: its root on this machine. */
    find(id: ActorId): (ScopedActor & { readonly rootHere: string }) | undefined;
  };
  /** Returns the worktree that contains this directory, as the session holds it. */
  readonly treeAt: (root: string) => Enclosure | null;
  readonly added: AddedDirs;
  /** Additional directories that commands may read: outputs of earlier ones. */
  readonly readable: readonly string[];
  /** Parts of the home that commands which only read also see. */
  readonly shown: readonly string[];
  readonly onWarning: (message: string) => void;
}

/** The session's sandbox, for the gate and for commands; null if it is off. Uses no joint: those two ask it. */
export interface SessionSandbox extends SandboxState {
  readonly commands: CommandSandbox | null;
  /** Resolves when the sandbox is known, and never rejects; null if there is nothing to wait for. */
  readonly known: Promise<void> | null;
  /**
   * Describes the sandbox for commands of an agent with this root, once known (A4.6); empty without one. `isolation`:
   * its future worktree.
   */
  describe(root: string, isolation?: Isolation): string;
  close(): Promise<void>;
}

const MAX_PROBE_BYTES = 64 * 1024;

/** Returns the options to build and try confinements, for a session or for `troupe doctor`. */
export function builderOptions(
  { cwd, additionalDirs = [], env = {}, commandEnv = [] }: SandboxOptions,
  { home, processes }: Pick<SandboxParts, "home" | "processes">,
): BuilderOptions {
  let runs = 0;
  return {
    ...{ platform: process.platform, kernel: release(), home: homedir(), troupeHome: home },
    env: {
      ...commandEnvironment({ ...process.env, ...env }, commandEnv),
      // Settings must not move what is hidden and held of them.
      CLAUDE_CONFIG_DIR: process.env["CLAUDE_CONFIG_DIR"],
    },
    directories: [cwd, ...additionalDirs],
    run: ({ file, args }, { env: own, confined, maxOutputBytes = MAX_PROBE_BYTES, ...rest }) =>
      processes.run({
        ...{ id: `sandbox-${++runs}`, owner: MAIN, file, args: [...args], env: { ...own }, maxOutputBytes },
        ...rest,
        ...(confined === undefined ? {} : { confined }),
      }),
  };
}

export function commandSandbox(options: SandboxOptions, parts: SandboxParts): SessionSandbox {
  const settings = { ...defaultSandboxSettings, ...options.sandbox };
  const { actors, treeAt, readable, onWarning } = parts;
  const building = builderOptions(options, parts);
  const light = lightConfinement({ ...building, settings });
  const prepare: SandboxState["prepare"] = (type, { cwd, scope }, given) => {
    const { root, additionalDirs, tree } = scope;
    const ours = [...readable, ...parts.shown];
    const shown = tree === null ? ours : [...ours, ...folders(), tree.checkout];
    return light.prepare(type, {
      ...given,
      roots: [...new Set([root, cwd, ...additionalDirs])],
      readable: shown,
    });
  };
  const folders = () => [options.cwd, ...parts.added.now];
  if (settings.mode === "off")
    return {
      ...{ settings, prepare, commands: null, known: null },
      report: async () => null,
      describe: () => "",
      close: async () => {},
    };
  let closed = false;
  // Opened at the start: the first agent's prompt describes the sandbox.
  const sandbox = openSandbox({
    ...{ ...building, settings, temporary: tmpdir() },
    shell: platformShell(process.platform, process.env)?.file ?? "/bin/bash",
  });
  const placeFor = (root: string, tree: Enclosure | null): SandboxPlace =>
    tree === null
      ? { writable: [root, ...folders()], readable: [...readable] }
      : // It owns neither the checkout nor the other directories that the session may write.
        {
          writable: [tree.path],
          readable: [...readable, ...(tree.common === undefined ? [] : [tree.common])],
          git: gitPlaceOf(tree),
          twin: twinIn(tree),
        };
  // The same bytes for every agent of a session: denied paths are looked up on the disk.
  const described = new Map<string, string>();
  return {
    ...{ settings, prepare },
    report: () => sandbox.ready,
    known: sandbox.ready.then((report) => {
      const lack = lackOf(settings, report);
      if (lack !== null && !closed) onWarning(lack);
    }),
    describe(root, isolation) {
      const known =
        described.get(root) ??
        sandbox.describe(placeFor(root, enclosingWorktree(root, isolation, treeAt(root))));
      described.set(root, known);
      return known;
    },
    commands: {
      sandbox,
      mode: settings.mode,
      place(owner) {
        const actor = actors.find(owner);
        if (actor === undefined) return placeFor(options.cwd, null);
        return placeFor(actor.rootHere, writeScope(actor, treeAt(actor.rootHere), parts.added).tree);
      },
    },
    async close() {
      closed = true;
      await sandbox.close();
    },
  };
}

function twinIn({ path, checkout }: Enclosure): Twin {
  return { tree: path, checkout };
}

/** Returns what a user who enabled the sandbox must know of its gaps at the start, or null. */
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
