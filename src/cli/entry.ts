import { errorMessage } from "../lib/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { main } from "./main.ts";
import { processIO } from "./process-io.ts";

/** The process ends by itself once all it owns is closed. */
const argv = process.argv.slice(2);

process.on("uncaughtException", (error) => {
  process.stderr.write(`troupe: ${errorMessage(error)}\n`);
  if (argv.includes("--debug") && error.stack) process.stderr.write(`${error.stack}\n`);
  process.exit(exitCodes.notDone);
});

const cwd = currentDir();
if (cwd === undefined) {
  process.stderr.write("troupe: The current directory no longer exists; change to another one.\n");
  process.exitCode = exitCodes.usage;
} else {
  process.exitCode = await main(argv, processIO(cwd));
}

function currentDir(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // It fails only if the directory was removed.
    return undefined;
  }
}
