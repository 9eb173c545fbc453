import { errorMessage } from "../lib/errors.ts";
import type { ThreadsAhead } from "../lib/threads.ts";
import { exitCodes } from "./exit-codes.ts";
import { main, untilTerminator } from "./main.ts";
import { keepHeapSmall, processIO } from "./process-io.ts";
import { lazyRuntime, withThreads } from "./runtime.ts";
import { commonFlags } from "./session-flags.ts";

const argv = process.argv.slice(2);

process.on("uncaughtException", (error) => {
  process.stderr.write(`troupe: ${errorMessage(error)}\n`);
  if (argv.includes("--debug") && error.stack) process.stderr.write(`${error.stack}\n`);
  process.exit(exitCodes.notDone);
});

/** Runs the command line. The process ends by itself once all it owns is closed. */
export async function start(ahead: ThreadsAhead | null): Promise<void> {
  keepHeapSmall();
  const cwd = currentDir();
  if (cwd === undefined) {
    process.stderr.write("troupe: The current directory no longer exists; change to another one.\n");
    process.exitCode = exitCodes.usage;
  } else {
    // Where everything that paints looks; a child of this process is plain too.
    if (untilTerminator(argv).includes(`--${commonFlags.plain.name}`)) process.env["TROUPE_PLAIN"] = "1";
    const runtime = ahead === null ? lazyRuntime : withThreads(lazyRuntime, ahead);
    process.exitCode = await main(argv, processIO(cwd), runtime);
  }
  await ahead?.close();
}

function currentDir(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // It fails only if the directory was removed.
    return undefined;
  }
}
