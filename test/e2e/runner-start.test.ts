import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { temporaryFolder } from "../support/temporary.ts";

const CLI = join(import.meta.dirname, "../../src/cli/run-sources.ts");

test.each([
  {
    what: "a directory for clones",
    blocked: "repositories",
    path: process.env["PATH"],
    says: "cannot be written",
  },
  { what: "git", blocked: "other", path: "/nowhere", says: "A runner needs git" },
])(
  "a runner without $what does not start, and takes no agent that would fail",
  async ({ blocked, path, says }) => {
    const home = temporaryFolder();
    mkdirSync(join(home, ".troupe"), { mode: 0o700 });
    await createFleetKey(join(home, ".troupe", "fleet-key"));
    writeFileSync(join(home, ".troupe", blocked), "");
    const { status, stderr } = spawnSync(
      process.execPath,
      [CLI, "runner", "--engine", "redis://127.0.0.1:9"],
      {
        encoding: "utf8",
        env: { PATH: path, HOME: home },
      },
    );
    expect(stderr).toContain(says);
    expect(status).toBe(2);
  },
);
