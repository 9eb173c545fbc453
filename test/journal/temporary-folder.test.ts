import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  inTemporaryFolder,
  makeTemporaryFolder,
  sweepTemporaryFolders,
} from "../../src/journal/temporary-folder.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("what a killed process left is removed by the next one, and nothing else", async () => {
  const dir = temporaryFolder();
  vi.stubEnv("TMPDIR", dir);
  const module = JSON.stringify(new URL("../../src/journal/temporary-folder.ts", import.meta.url).href);
  const code = `import(${module}).then(({ makeTemporaryFolder }) => {
    console.log(makeTemporaryFolder("agent"));
    setInterval(() => {}, 1000);
  })`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const left = String(line).trim();
  const mine = makeTemporaryFolder("agent");
  const elsewhere = basename(left).replace(/^(troupe-agent-)\w+/, "$1elsewhere");
  for (const name of [elsewhere, "troupe-agent-x", "mine"]) mkdirSync(join(dir, name));
  await sweepTemporaryFolders();
  expect(existsSync(left)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "close");
  await inTemporaryFolder("travel", async (folder) => {
    await sweepTemporaryFolders();
    expect(readdirSync(dir).toSorted()).toEqual(
      [basename(mine), elsewhere, "troupe-agent-x", "mine", basename(folder)].toSorted(),
    );
  });
  vi.unstubAllEnvs();
});
