import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backgroundCommands, type Commands } from "../../src/features/background/commands.ts";
import { outputsIn } from "../../src/journal/outputs.ts";
import { randomIds } from "../../src/mailbox/ids.ts";
import { platformShell } from "../../src/processes/platform-shell.ts";
import type { Processes } from "../../src/processes/processes.ts";

/** A session's commands without its session: real shells, real files. */
export function realCommands(processes: Processes): Commands & {
  /** Its home, for whoever cleans up. */
  readonly folder: string;
} {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-outputs-")));
  const outputs = outputsIn(home, home, randomIds());
  const commands = backgroundCommands(processes, outputs, platformShell(process.platform, process.env));
  return { ...commands, folder: home };
}
