import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unless } from "../support/needs.ts";

/** Has each thread of the pool wait at a pipe that nobody writes to, then reads. */
const SCRIPT = `
import { open, writeSync } from "node:fs";
import { readSettingsFile } from ${JSON.stringify(join(import.meta.dirname, "../../src/settings/settings-file.ts"))};
await readSettingsFile({ scope: "user", file: "/nonexistent" });
for (let n = 0; n < 4; n += 1) open("pipe", "r", () => {});
setTimeout(die, 10_000);
const { leaves } = await readSettingsFile({ scope: "user", file: "settings.json" });
writeSync(1, leaves.map(({ value }) => value).join());
die();
// An exit would wait for the threads of the pool.
function die() { process.kill(process.pid, "SIGKILL"); }
`;

test(
  "settings are read while no thread of Node's pool is free (issue 15, 28)",
  unless(process.platform === "win32" ? "this is Windows" : null),
  () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-pool-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    writeFileSync(join(folder, "settings.json"), '{ "model": "a-model" }');
    const args = ["--input-type=module", "-e", SCRIPT];
    const env = { ...process.env, UV_THREADPOOL_SIZE: "4" };
    expect(spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" }).stdout).toBe("a-model");
  },
);
