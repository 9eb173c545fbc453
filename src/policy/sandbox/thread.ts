import { parentPort, workerData } from "node:worker_threads";
import { boundsOf, missing } from "./bounds.ts";
import type { FromThread, ThreadData, ToThread } from "./lane.ts";
import { Leftovers } from "./leftovers.ts";
import { linuxRuntime, otherRuntime, type Runtime, runtimeFolder } from "./runtime.ts";
import type { Program } from "./sandbox.ts";

/**
 * The thread that turns a command into one that runs in the sandbox. It is a thread because the runtime keeps its
 * state in its module (one per session, not per process), looks at the disk synchronously, takes up signals of the
 * process, and filters the network with proxies of its own: none of that belongs beside the supervisor.
 */
function serve(data: ThreadData, send: (message: FromThread) => void): (message: ToThread) => Promise<void> {
  const { ground, platform, setpriv, shell } = data;
  // The runtime holds and searches a list of its own in the process's folder, wherever that is; ours is the list.
  process.cwd = () => data.empty;
  const leftovers = new Leftovers(data.leftovers, data.folder);
  leftovers.sweep();
  const runtime: Promise<Runtime> = platform === "linux" ? linuxRuntime(data) : otherRuntime(data);
  // Told to whoever wraps; until then nobody waits for it.
  runtime.catch(() => {});

  const wrap = async ({ program, place, weaker }: Extract<ToThread, { type: "wrap" }>): Promise<Program> => {
    const { wrap: wrapped } = await runtime;
    const found = boundsOf(ground, place);
    const bounds = { ...found, denyWrite: [...found.denyWrite, ...runtimeFolder()] };
    leftovers.note(missing(found.denyWrite));
    const command = quoted([
      ...(setpriv === null ? [] : [setpriv, ...WITHOUT_RIGHTS]),
      program.file,
      ...program.args,
    ]);
    const line = await wrapped(command, bounds, weaker);
    // `exec`: the sandbox's own first process is the group's leader, and what ends the group ends the sandbox.
    return { file: shell, args: ["--noprofile", "--norc", "-c", `exec ${line}`] };
  };

  return async (message) => {
    switch (message.type) {
      case "wrap":
        return wrap(message).then(
          (program) => send({ type: "wrapped", ticket: message.ticket, program }),
          (error) => send({ type: "failed", ticket: message.ticket, reason: reasonOf(error) }),
        );
      case "done":
        (await runtime.catch(() => null))?.done();
        return send({ type: "tidied", ticket: message.ticket });
      case "close":
        await (await runtime.catch(() => null))?.close().catch(() => {});
        leftovers.clear();
        return send({ type: "closed" });
      default:
        message satisfies never;
    }
  };
}

/** As root a command would keep every right inside its namespace, and could mount over what holds it. */
const WITHOUT_RIGHTS = ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"];

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? error.name) : String(error);
}

if (parentPort !== null) {
  const port = parentPort;
  const answer = serve(workerData, (message) => port.postMessage(message));
  port.on("message", (message: ToThread) => {
    void answer(message).then(() => {
      if (message.type === "close") port.close();
    });
  });
}
