import { accessSync, chmodSync, constants, lstatSync, mkdirSync, statSync } from "node:fs";
import { availableParallelism, hostname } from "node:os";
import { dirname, join } from "node:path";
import type { Carrier } from "../../engine/carrier.ts";
import { commandSandbox } from "../../features/sandbox/index.ts";
import { troupeHome } from "../../journal/paths.ts";
import { errorCode, errorMessage } from "../../lib/errors.ts";
import { troupeVersion } from "../../lib/version.ts";
import { MAIN, randomIds } from "../../mailbox/ids.ts";
import { RUNNER_TREES } from "../../mailbox/worktree.ts";
import { type GatewayConfig, proxyVariables, threadGateway } from "../../model/gateway.ts";
import { aliasesFrom } from "../../model/model-names.ts";
import { AddedDirs } from "../../policy/confinement/write-scope.ts";
import { startProcesses } from "../../processes/client.ts";
import { AgentForks, type AgentUser, findAgentUser } from "../../runner/agent-fork.ts";
import { repositoryFiles } from "../../runner/attempt-files.ts";
import { openRunner, type Runner, type RunnerOptions } from "../../runner/runner.ts";
import { gitIn } from "../../worktrees/git.ts";
import { RunnerRepositories } from "../../worktrees/runner/repositories.ts";
import { locksOf } from "../../worktrees/runner/trees.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { sessionSettings } from "../session-settings.ts";
import { modelOf } from "../session-setup.ts";
import { openCarrier, openStdio, readSealers } from "./fleet.ts";

/** Megabytes of an agent's heap. */
const AGENT_MB = 512;

export interface RunnerStart {
  readonly url: string;
  readonly pools: readonly string[];
  readonly slots: number | undefined;
  readonly name: string | undefined;
  readonly agentUser: string | undefined;
  readonly once: boolean;
  /** Which model is asked. */
  readonly args: Arguments;
  readonly context: Context;
}

/** Runs a runner until it has drained. */
export async function runRunner(start: RunnerStart): Promise<number> {
  const { url, pools, args, context, once, slots = availableParallelism() } = start;
  const { io } = context;
  const home = troupeHome(io.env, io.homedir);
  const name = nameOf(start.name ?? hostname());
  const user = userOf(start.agentUser);
  const isStdio = url === "stdio:";
  const readKey = isStdio ? null : await readSealers(io);
  const settings = await sessionSettings(io, { cwd: io.cwd, home, trusts: false });
  const env = { ...io.env, ...settings.read.settings.env };
  const choice = await modelOf(args, context, env, { cwd: io.cwd, read: settings.read });
  const { source } = choice;
  if (source.provider === "client") throw new Error("A runner has no model client of its own.");
  const trees = RUNNER_TREES;
  const clones = join(home, "repositories");
  await assertUsable(clones, io.env);
  prepareTrees(trees);
  const { sandbox, aliases, availableModels, commandEnv, runners } = settings.read.settings;
  // An address with a password is not for the list of processes.
  process.title = `troupe runner ${name}`;
  // Before the home becomes that of agents: its git must not read what they can write.
  const repositories = new RunnerRepositories(clones, undefined, user === undefined ? "owner" : "all");
  // The home of agents is the one that rules and commands name by `~`.
  if (user !== undefined) process.env["HOME"] = user.home;
  const { carrier, sealerOf } =
    readKey === null
      ? await openStdio(process.stdin, process.stdout, io.clock)
      : { carrier: await openCarrier(url, io), sealerOf: readKey };
  const onLine = (line: string) => void printNotes(io, [line]);
  const ofUser = user === undefined ? {} : { HOME: user.home, USER: user.name, LOGNAME: user.name };
  const { clock } = io;
  const processes = startProcesses({
    env: { ...io.env, ...ofUser },
    clock,
    user,
    commandEnv,
    onGivenUp: onLine,
  });
  const ofRunner = { limits: { concurrency: slots }, env: proxyVariables(env) };
  const openGateway = (config: Omit<GatewayConfig, keyof typeof ofRunner>) => {
    const opened = threadGateway({ ...config, ...ofRunner });
    opened.onClosed(onLine);
    return opened;
  };
  const gateway = openGateway({
    source,
    aliases: { ...choice.aliases, ...aliasesFrom(env, aliases) },
    availableModels,
  });
  try {
    const sandboxState = await stateOfSandbox({ cwd: trees, sandbox, home, processes });
    await printNotes(io, [
      choice.note,
      ...settings.notes,
      sandboxState === "enforced" ? null : whyExposed(user),
    ]);
    const runner = await openRunner({
      ...{ id: `${name}-${randomIds().task()}`, name, version: troupeVersion(), slots, carrier, sealerOf },
      ...{ pools: pools.length === 0 ? ["default"] : pools, gateway, processes, home, trees, clock },
      ...{ sandbox, sandboxState, once, openGateway, onLine, onWarning: onLine },
      forks: new AgentForks({ clock, memoryMb: AGENT_MB, user }),
      files: repositoryFiles(repositories, runners.remote),
      user,
    });
    if (isStdio) leaveWithSession(runner, carrier);
    const withdraw = (["SIGTERM", "SIGINT"] as const).map((signal) =>
      io.onSignal(signal, () => runner.drain()),
    );
    await runner.ended;
    for (const one of withdraw) one();
    return exitCodes.done;
  } finally {
    await Promise.all([gateway.close(), processes.close(), carrier.close().catch(() => {})]);
  }
}

/** Immediately if it has gone while the runner opened. */
function leaveWithSession(runner: Runner, carrier: Carrier): void {
  const leaveIfAlone = () => {
    if (carrier.isUp) return;
    runner.drain();
    runner.drain();
  };
  carrier.onUp(leaveIfAlone);
  leaveIfAlone();
}

function nameOf(text: string): string {
  const name = text.replace(/[^\w-]+/g, "-").slice(0, 60);
  if (/\w/.test(name)) return name;
  throw new UsageError("--name needs a letter or a digit.");
}

function userOf(name: string | undefined): AgentUser | undefined {
  if (name === undefined) return undefined;
  if (process.getuid?.() !== 0)
    throw new UsageError("--agent-user needs root: only root can start processes as another user.");
  const user = findAgentUser(name);
  if (user === null) throw new UsageError(`--agent-user: there is no user ${JSON.stringify(name)} here.`);
  return user;
}

/** Without both, each agent that it takes would be parked within a second. */
async function assertUsable(clones: string, env: CliIO["env"]): Promise<void> {
  try {
    mkdirSync(clones, { recursive: true });
    accessSync(clones, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `The directory for clones cannot be written (${errorMessage(error)}). Set TROUPE_HOME to one that can.`,
    );
  }
  const { code, err } = await gitIn(clones, env).run(["--version"]);
  if (code !== 0)
    throw new UsageError(`A runner needs git for the files of agents, and it does not start: ${err}.`);
}

/** Tries the sandbox once; each agent opens its own. */
async function stateOfSandbox({
  cwd,
  sandbox,
  home,
  processes,
}: Pick<RunnerOptions, "sandbox" | "home" | "processes"> & { readonly cwd: string }): Promise<string> {
  const opened = commandSandbox(
    { cwd, sandbox },
    {
      ...{ home, processes, added: new AddedDirs([]), readable: [], shown: [], onWarning: () => {} },
      ...{ actors: { find: () => undefined }, treeAt: () => null },
    },
  );
  const report = await opened.report();
  await opened.close();
  await processes.stopOwner(MAIN);
  return report?.state ?? "off";
}

function whyExposed(user: AgentUser | undefined): string | null {
  if (user !== undefined) return null;
  return "Warning: commands that rules allow run as the user of this runner, and can read its files and its environment, with its keys. Turn on troupe.sandbox.mode in the settings of this user, or start it as root with --agent-user.";
}

/**
 * Makes the directory of all worktrees, and the one of this user's locks. Throws if it cannot be used, or if it belongs
 * to another user, who could read and replace what agents work on; root may have made it for all users.
 */
export function prepareTrees(dir: string, me: number | null = process.getuid?.() ?? null): void {
  const isOther = (uid: number) => me !== null && uid !== me;
  try {
    mkdirSync(dirname(dir), { recursive: true });
    makeDir(dir, 0o755);
    // Also the owner of a link, which could change where it leads.
    const other = [lstatSync(dir), statSync(dir)].find(({ uid }) => isOther(uid) && uid !== 0);
    if (other !== undefined) throw new UsageError(foreignText(dir, other.uid));
    const { uid, mode } = statSync(dir);
    const writable = mode & 0o022;
    // With umask 002 an earlier runner has made it so. What root has opened to all is meant to be.
    if (uid === me && writable !== 0 && (mode & 0o1000) === 0) chmodSync(dir, mode & 0o7755);
    if (isOther(uid) && (mode & 0o1002) === 0o002) throw new UsageError(openText(dir));
    accessSync(dir, constants.W_OK | constants.X_OK);
    const locks = locksOf(dir);
    makeDir(locks, 0o700);
    const { uid: owner } = lstatSync(locks);
    if (isOther(owner)) throw new UsageError(foreignText(locks, owner));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `The directory for worktrees, ${dir}, cannot be used (${errorMessage(error)}). It is the same on all runners. ${REMEDY}`,
    );
  }
}

const REMEDY =
  "Make it this user's own, or let root make it for all users of this machine, with the owner root and the mode 1777.";

function foreignText(dir: string, uid: number): string {
  return `The directory for worktrees cannot be used: ${dir} belongs to another user (${uid}), who could change what agents work on. It is the same on all runners. ${REMEDY}`;
}

function openText(dir: string): string {
  return `The directory for worktrees cannot be used: each user of this machine can replace what others have in ${dir}. ${REMEDY}`;
}

/** The umask does not count. Leaves one that exists as it is. */
function makeDir(dir: string, mode: number): void {
  try {
    mkdirSync(dir);
    chmodSync(dir, mode);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
