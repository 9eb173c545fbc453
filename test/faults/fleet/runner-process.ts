import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { RUNNER_TREES } from "../../../src/mailbox/worktree.ts";
import { BIN } from "../../support/built.ts";
import { processesWith } from "../../support/left-behind.ts";
import { MARK } from "../checks/remains.ts";

/** Milliseconds after which a runner that has died is started again, as a service manager would. */
const AGAIN_MS = 2_000;

/** Milliseconds that a runner may take to stop: it waits a minute for a session that it cannot reach. */
const STOPS_MS = 150_000;

const IS_ROOT = process.getuid?.() === 0;
/** Each runner has its own directory of worktrees, which nobody else sees, as on a machine of its own. */
const OWN_TREES = [
  ...["unshare", "--mount", "sh", "-c"],
  `mkdir -p ${RUNNER_TREES} && mount -t tmpfs tmpfs ${RUNNER_TREES} && exec "$@"`,
  "sh",
];

export interface RunnerProcessOptions {
  readonly name: string;
  /** The directory of the whole run; its own home is in it. */
  readonly root: string;
  readonly slots: number;
  readonly engine: string;
  readonly model: string;
  readonly fleetKey: string;
}

/** `troupe runner` as a service: whenever it dies, it is started again. */
export interface RunnerProcess {
  readonly name: string;
  readonly home: string;
  /** Deaths so far, whoever killed it. */
  readonly deaths: readonly number[];
  /** SIGKILL; `all`: its agents and their commands as well, as if the machine had lost its power. */
  kill(all: boolean): void;
  /** The runner and its agents stand still. */
  freeze(): void;
  thaw(): void;
  /** Worktrees that are on its disk now. */
  trees(): string[];
  /** SIGTERM, and it is not started again. Resolves with its exit code when it has ended; with null if it does not. */
  stop(): Promise<number | null>;
}

export function startRunner(options: RunnerProcessOptions): RunnerProcess {
  const { name, root, slots, engine, model, fleetKey } = options;
  const home = join(root, name);
  mkdirSync(join(home, ".troupe"), { recursive: true, mode: 0o700 });
  copyFileSync(fleetKey, join(home, ".troupe", "fleet-key"));
  const log = openSync(join(root, `${name}.log`), "a");
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const deaths: number[] = [];
  let child: ChildProcess;
  let again: NodeJS.Timeout | undefined;
  let isStopping = false;
  const start = () => {
    const program = [process.execPath, BIN, "runner", "--name", name, "--slots", `${slots}`];
    const [command = "", ...args] = IS_ROOT ? [...OWN_TREES, ...program] : program;
    child = spawn(command, args, {
      detached: true,
      cwd: home,
      stdio: ["ignore", log, log],
      env: {
        ...{ PATH, NODE_COMPILE_CACHE, HOME: home, TMPDIR: root, [MARK]: root, IS_SANDBOX: "1" },
        ...{ TROUPE_ENGINE: engine, ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "sk-test-secret" },
      },
    });
    child.once("exit", () => {
      deaths.push(Date.now());
      if (!isStopping) again = setTimeout(start, AGAIN_MS);
    });
  };
  start();
  const all = () => processesWith(`HOME=${home}`).map(Number);
  const signal = (pid: number | undefined, which: NodeJS.Signals) => {
    try {
      if (pid !== undefined) process.kill(pid, which);
    } catch {
      // It has ended since.
    }
  };
  return {
    ...{ name, home, deaths },
    kill(everything) {
      // The runner first: one that sees its agents die says so, and that is no loss of power.
      for (const pid of [child.pid, ...(everything ? all() : [])]) signal(pid, "SIGKILL");
    },
    freeze() {
      for (const pid of all()) signal(pid, "SIGSTOP");
    },
    thaw() {
      for (const pid of all()) signal(pid, "SIGCONT");
    },
    trees() {
      const dir = `/proc/${child.pid}/root${RUNNER_TREES}`;
      if (!existsSync(dir)) return [];
      const sessions = readdirSync(dir).filter((name) => !name.startsWith("."));
      return sessions.flatMap((session) => readdirSync(join(dir, session)));
    },
    async stop() {
      isStopping = true;
      clearTimeout(again);
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      signal(child.pid, "SIGTERM");
      return Promise.race([ended, wait(STOPS_MS, null, { ref: false })]);
    },
  };
}
