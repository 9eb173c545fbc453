import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderIn, platformShell } from "../../../src/processes/platform-shell.ts";
import { threadsWithin } from "../../../src/session/open-resources.ts";
import { bundledProgram } from "../../support/bundled-entries.ts";
import { onLinux } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const PROGRAM = join(import.meta.dirname, "sessions-program.ts");

/** The command as an agent's shell runs it, in a process that may have so many files open. */
function runWithin(files: number, command: string) {
  const shell = platformShell("linux", process.env);
  if (shell === null) throw new Error("There is no bash.");
  const limited = ["-c", `ulimit -n ${files}; exec "$@" 3>&2`, "sh", shell.file, ...shell.args(command)];
  const { stdout, stderr, status } = spawnSync("sh", limited, { encoding: "utf8", cwd: "/" });
  return { stdout, status, folder: folderIn(stderr), rest: stderr.split("\0")[0] };
}

test.each([40, 64, 1024])(
  "a shell with %d descriptors adds nothing to the output, and reports its directory at its end",
  (files) => {
    expect(runWithin(files, "cd /tmp; echo out; exit 3")).toEqual({
      ...{ stdout: "out\n", status: 3, folder: "/tmp", rest: "" },
    });
  },
);

describe("as many threads as there are descriptors for", () => {
  test.each([
    [64, 4],
    [256, 34],
    [1024, 34],
    [null, 34],
  ])("with %s open files, %d of 34 threads", (limit, threads) => {
    expect(threadsWithin(34, limit)).toBe(threads);
  });

  test("none with fewer than a session needs, which is one sentence", () => {
    expect(() => threadsWithin(34, 40)).toThrow(
      "A session needs at least 64 open files, and this process may have only 40. Raise the limit (ulimit -n 1024) and start it again.",
    );
  });

  test("a session with 64 descriptors runs more agents than it has threads for", {
    ...onLinux,
    tags: ["long"],
  }, async () => {
    const request = JSON.stringify({
      cwd: temporaryFolder(),
      home: temporaryFolder(),
      sessions: 3,
      agents: 12,
    });
    const limited = [
      "-c",
      'ulimit -n 64; exec "$@"',
      "sh",
      process.execPath,
      await bundledProgram(PROGRAM),
      request,
    ];
    const { stdout, stderr, status } = spawnSync("sh", limited, { encoding: "utf8" });
    expect({ stderr, status, lines: stdout.trim().split("\n").length }).toEqual({
      stderr: "",
      status: 0,
      lines: 3,
    });
  });
});
