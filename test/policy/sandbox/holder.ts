/** Holds a pipe open from inside a sandbox, in the background, until it is killed. Run by ends.test.ts. */

import { backgroundCommands } from "../../../src/features/background/commands.ts";
import { outputsIn } from "../../../src/journal/outputs.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { MAIN, randomIds } from "../../../src/mailbox/ids.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { platformShell } from "../../../src/processes/platform-shell.ts";
import { groundIn, sandboxOn } from "./ground.ts";

const [, , folder = "", pipe = "", domain = ""] = process.argv;
const ground = groundIn(folder);
const processes = startProcesses({ env: process.env, clock: systemClock });
const sandbox = sandboxOn(ground, processes, { allowedDomains: domain === "" ? [] : [domain] });
const outputs = outputsIn(ground.troupeHome, ground.troupeHome, randomIds());
const place = { writable: [ground.workspace], readable: [outputs.folder] };
const shell = platformShell(process.platform, process.env);
const commands = backgroundCommands(processes, outputs, shell, { sandbox, mode: "on", place: () => place });
commands.start({
  owner: MAIN,
  // With a directory for temporary files that only root may remove as it is.
  command: `mkdir -p $TMPDIR/mod/deep; chmod 555 $TMPDIR/mod; printf %s $TMPDIR > temporary; setsid sh -c 'exec 4>"${pipe}"; trap "" TERM; echo ready >&4; sleep 1000' & wait`,
  ...{ cwd: ground.workspace, timeoutMs: null, keep: true, signal: new AbortController().signal },
});
