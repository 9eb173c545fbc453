/** `troupe top` alone, in a process of its own; started by top-terminal.test.ts. */
import { parseArguments } from "../../src/cli/arguments.ts";
import { topCommand } from "../../src/cli/commands/sessions.ts";
import { processIO } from "../../src/cli/process-io.ts";
import { lazyRuntime } from "../../src/cli/runtime.ts";

const io = processIO(process.cwd());
const args = parseArguments(process.argv.slice(2), topCommand.options);
process.exitCode = await topCommand.run(args, { io, runtime: lazyRuntime, startedAt: 0 });
