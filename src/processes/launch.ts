import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { execa } from "execa";
import { errorMessage } from "../lib/errors.ts";
import { FIRST_DESCRIPTOR, type Held } from "./confine.ts";
import type { Output } from "./output.ts";
import type { ProcessRequest } from "./requests.ts";

/** A child that runs, or why there is none. */
export type Launch =
  | { readonly type: "started"; readonly pid: number; readonly process: ChildProcess }
  | { readonly type: "not-started"; readonly reason: Promise<string> };

const OPTIONS = {
  // Its own group and session: one signal reaches all of it, and no terminal can be asked for a password.
  detached: true,
  stdin: "ignore",
  extendEnv: false,
  // Unbuffered and without cleanup hooks execa costs 0.7 ms of CPU over a bare spawn; with them 1.2 ms.
  buffer: false,
  encoding: "buffer",
  cleanup: false,
  reject: false,
} as const;

type Environment = Readonly<Record<string, string>>;

export function launch(
  request: ProcessRequest,
  env: Environment,
  { descriptors, stdio }: Output,
  held: Held | null,
): Launch {
  try {
    const { process, failure } =
      stdio !== undefined
        ? withStreams(request, env, stdio)
        : descriptors || held
          ? withDescriptors({ ...request, ...held }, env, descriptors, held?.descriptors ?? [])
          : withPipes(request, env);
    const { pid } = process;
    if (pid !== undefined) return { type: "started", pid, process };
    return { type: "not-started", reason: failure.then((error) => whyNot(request, error)) };
  } catch (error) {
    // Arguments no program can be given, such as a NUL in a path.
    return { type: "not-started", reason: whyNot(request, error) };
  }
}

/** `failure`: why there is no process; of no meaning where there is one. */
interface Attempt {
  readonly process: ChildProcess;
  readonly failure: Promise<unknown>;
}

function withPipes({ file, args, cwd }: ProcessRequest, env: Environment): Attempt {
  const closed = execa(file, args, { ...OPTIONS, cwd, env });
  return { process: closed.nodeChildProcess, failure: closed };
}

function withStreams({ file, args, cwd }: ProcessRequest, env: Environment, stdio: StdioOptions): Attempt {
  const process = spawn(file, args, { detached: true, stdio, cwd, env });
  return { process, failure: once(process, "error").then(([error]) => error) };
}

/** execa takes no descriptors over 9 and has nothing to add where no stream is ours to read. */
function withDescriptors(
  { file, args, cwd }: Pick<ProcessRequest, "file" | "cwd"> & { readonly args: readonly string[] },
  env: Environment,
  descriptors: readonly number[] | null,
  more: readonly number[],
): Attempt {
  const own: StdioOptions & unknown[] = ["ignore", ...(descriptors ?? (["pipe", "pipe"] as const))];
  while (more.length > 0 && own.length < FIRST_DESCRIPTOR) own.push("ignore");
  const process = spawn(file, args, { detached: true, stdio: [...own, ...more], cwd, env });
  return { process, failure: once(process, "error").then(([error]) => error) };
}

export async function whyNot({ file, cwd }: ProcessRequest, error: unknown): Promise<string> {
  const { code, originalMessage } = detailsOf(error);
  // A missing folder and a missing program are the same ENOENT to the system.
  const folder = await stat(cwd).catch(() => null);
  if (!folder?.isDirectory()) return `${file} could not be started: the folder ${cwd} does not exist.`;
  switch (code) {
    case "ENOENT":
      return `${file} could not be started: there is no such program.`;
    case "EACCES":
      return `${file} could not be started: it may not be executed, or the folder ${cwd} may not be entered.`;
    case "EMFILE":
    case "ENFILE":
      return `${file} could not be started: too many files are open. Wait until other commands have ended, or raise the limit (ulimit -n).`;
    case "EAGAIN":
      return `${file} could not be started: too many processes are running. Wait until other commands have ended.`;
    case "E2BIG":
      return `${file} could not be started: its arguments are too long.`;
    default:
      return `${file} could not be started: ${originalMessage}.`;
  }
}

function detailsOf(error: unknown): { code?: unknown; originalMessage: string } {
  if (typeof error !== "object" || error === null) return { originalMessage: String(error) };
  const code = "code" in error ? error.code : undefined;
  if ("originalMessage" in error && typeof error.originalMessage === "string") {
    return { code, originalMessage: error.originalMessage };
  }
  return { code, originalMessage: errorMessage(error) };
}
