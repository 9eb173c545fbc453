import { MAIN } from "../../mailbox/ids.ts";
import { repositoriesAbout } from "../../policy/trust/git-repository.ts";
import type { Processes } from "../../processes/processes.ts";
import { isPlain, paintFor } from "../../terminal/colour.ts";
import { ripgrepPath } from "../../tools/grep/ripgrep.ts";
import type { CliIO } from "../process-io.ts";
import type { DoctorCheck } from "./check.ts";

const NODE = 24;
/** The first git that can merge without a checkout. */
const GIT = [2, 38] as const;
const VERSION_MS = 10_000;
const NARROW = 40;

export function checkNode(version = process.versions.node): DoctorCheck {
  const name = "node";
  if (Number.parseInt(version, 10) >= NODE) return { name, state: "ok", text: version };
  return { name, state: "wrong", text: version, todo: `Install Node ${NODE} or newer.` };
}

type Programs = Pick<Processes, "run">;

export async function checkGit(processes: Programs, cwd: string, homedir: string): Promise<DoctorCheck> {
  const name = "git";
  const version = await versionOf(processes, "git", homedir);
  const where = repositoriesAbout(cwd).length > 0 ? "in a repository" : "not in a repository";
  const todo = `Install git ${GIT.join(".")} or newer.`;
  if (version === null)
    return { name, state: "warning", text: "there is no git, so agents get no worktrees of their own", todo };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < GIT[0] || (major === GIT[0] && minor < GIT[1]);
  const text = `${version}, ${where}`;
  if (!isOld) return { name, state: "ok", text };
  return {
    name,
    state: "warning",
    text: `${text}; edits of agents in worktrees stay on their branches`,
    todo,
  };
}

export async function checkRipgrep(processes: Programs, homedir: string): Promise<DoctorCheck> {
  const name = "ripgrep";
  const todo = "Install Troupe again, with its optional dependencies.";
  const path = ripgrepPath();
  if (path === null)
    return { name, state: "wrong", text: `none was installed for ${process.platform} ${process.arch}`, todo };
  const version = await versionOf(processes, path, homedir);
  if (version === null) return { name, state: "wrong", text: `${path} does not run`, todo };
  return { name, state: "ok", text: `${version}, ${path}` };
}

/** Returns null if there is no such program, or if it does not say its version. */
async function versionOf({ run }: Programs, file: string, cwd: string): Promise<string | null> {
  const { outcome, exitCode, stdout } = await run({
    ...{ id: `version of ${file}`, owner: MAIN, file, args: ["--version"], cwd },
    ...{ timeoutMs: VERSION_MS, maxOutputBytes: 4_096 },
  });
  if (outcome !== "exited" || exitCode !== 0) return null;
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null;
}

export function checkTerminal({ stdout, terminal = stdout, stdinIsTTY, env }: CliIO): DoctorCheck {
  const name = "terminal";
  if (!terminal.isTTY)
    return { name, state: "ok", text: "no terminal; the output goes to a file or a program" };
  const { columns } = terminal.size();
  const coloured = paintFor(terminal, env)("bold", "x") !== "x";
  const why = env["FORCE_COLOR"] !== undefined ? " (FORCE_COLOR)" : env["NO_COLOR"] ? " (NO_COLOR)" : "";
  const text = [
    env["TERM"] || "TERM is not set",
    `${columns} columns`,
    `${coloured ? "colours" : "no colours"}${why}`,
    ...(stdinIsTTY || terminal !== stdout
      ? []
      : ["the input comes from a file or a program, so no question can be answered"]),
  ].join(", ");
  if (isPlain(env) && env["TERM"] !== "dumb")
    return { name, state: "ok", text: `${text}; nothing is painted, only printed (--plain or TROUPE_PLAIN)` };
  if (isPlain(env))
    return {
      ...{ name, state: "warning", text: `${text}; nothing is painted, only printed` },
      todo: "Set TERM to what your terminal is, such as xterm-256color.",
    };
  if (columns < NARROW) return { name, state: "warning", text, todo: "Make the terminal wider." };
  return { name, state: "ok", text };
}
