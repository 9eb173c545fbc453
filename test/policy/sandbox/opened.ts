import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { backgroundCommands, type Commands } from "../../../src/features/background/commands.ts";
import { outputsIn } from "../../../src/journal/outputs.ts";
import { callId, MAIN, randomIds } from "../../../src/mailbox/ids.ts";
import type { CommandResult } from "../../../src/mailbox/runs.ts";
import { trustedProgram } from "../../../src/policy/sandbox/find-builder.ts";
import type { SandboxPlace, SandboxSettings } from "../../../src/policy/sandbox/sandbox.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { platformShell } from "../../../src/processes/platform-shell.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { groundIn, sandboxOn } from "./ground.ts";

/** Why the tests of a real sandbox cannot run here; null where they can. */
export const whyNoBubblewrap = whyNot();

function whyNot(): string | null {
  if (process.platform !== "linux") return "this is not Linux";
  const bwrap = trustedProgram("bwrap", process.env["PATH"], []);
  if (bwrap === null) return "there is no bubblewrap (apt install bubblewrap socat)";
  try {
    const probe = "--ro-bind / / --unshare-user --unshare-pid --unshare-net --proc /proc --dev /dev true";
    execFileSync(bwrap, probe.split(" "), { stdio: "pipe" });
    return null;
  } catch (error) {
    return `bubblewrap cannot make namespaces here: ${String(error).split("\n")[1]}`;
  }
}

export const whyNoSocat =
  whyNoBubblewrap ??
  (trustedProgram("socat", process.env["PATH"], []) ? null : "there is no socat (apt install socat)");

/** What the first probe of this file found. */
let probed: string | null = null;

function writeProbe(troupeHome: string, text: string): void {
  mkdirSync(join(troupeHome, "sandbox"), { recursive: true, mode: 0o700 });
  writeFileSync(join(troupeHome, "sandbox", "probe-full.json"), text, { mode: 0o600 });
}

/** A sandbox with commands in it, as a session has them. */
export function opened(
  files: Readonly<Record<string, string>> = {},
  settings: Partial<SandboxSettings> = {},
) {
  const folder = temporaryFolder("troupe-sandboxed-");
  const ground = groundIn(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  // The probe has tests of its own; the others need not wait for one each.
  if (probed !== null) writeProbe(ground.troupeHome, probed);
  const processes = startProcesses({ env: { ...process.env, HOME: ground.home } });
  const sandbox = sandboxOn(ground, processes, settings);
  onTestFinished(async () => {
    const file = join(ground.troupeHome, "sandbox", "probe-full.json");
    if (existsSync(file)) probed = readFileSync(file, "utf8");
    await processes.close();
    await sandbox.close();
  });
  const outputs = outputsIn(ground.troupeHome, join(ground.troupeHome, "session"), randomIds());
  const place: SandboxPlace = { writable: [ground.workspace], readable: [outputs.folder] };
  const shell = platformShell(process.platform, process.env);
  const commands: Commands = backgroundCommands(processes, outputs, shell, {
    ...{ sandbox, mode: settings.mode ?? "on", place: () => place },
  });
  const { signal } = new AbortController();
  const request = (command: string) => ({
    ...{ call: callId(MAIN, 1, 0), command, cwd: ground.workspace, timeoutMs: 60_000 },
  });
  return {
    ...{ ...ground, folder, sandbox, processes, commands, outputs, place, request },
    run: (command: string, outside = false): Promise<CommandResult> =>
      commands.run(MAIN, request(command), signal, { outside }),
  };
}
