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

const cwd = currentFolder();
if (cwd === undefined) {
  process.stderr.write("troupe: The current folder no longer exists; change to another one.\n");
  process.exitCode = exitCodes.usage;
} else {
  process.exitCode = await main(argv, processIO(cwd));
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // The only way it fails is a folder that was removed under us.
    return undefined;
  }
}
