import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { folderIn, platformShell } from "../../src/processes/platform-shell.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";

const debian = ["/bin/bash", "/usr/bin/bash"];
const nix = ["/run/current-system/sw/bin/bash"];

test.each([
  ["linux", {}, debian, "/bin/bash"],
  ["linux", { SHELL: "/bin/zsh" }, debian, "/bin/bash"],
  ["linux", { SHELL: "/usr/bin/fish" }, debian, "/bin/bash"],
  ["linux", { SHELL: "/opt/bash5/bin/bash" }, ["/opt/bash5/bin/bash", ...debian], "/opt/bash5/bin/bash"],
  [
    "darwin",
    { SHELL: "/opt/homebrew/bin/bash" },
    ["/opt/homebrew/bin/bash", "/bin/bash"],
    "/opt/homebrew/bin/bash",
  ],
  ["darwin", { SHELL: "/bin/zsh" }, ["/bin/bash"], "/bin/bash"],
  // A person's bash that is gone, or named by a relative path.
  ["linux", { SHELL: "/gone/bash" }, debian, "/bin/bash"],
  ["linux", { SHELL: "tools/bash" }, ["tools/bash", ...debian], "/bin/bash"],
  // Where /bin has none, PATH is searched, but never its relative entries.
  ["linux", { PATH: "/run/current-system/sw/bin:/x" }, nix, nix[0]],
  [
    "linux",
    { PATH: ".:node_modules/.bin::/run/current-system/sw/bin" },
    ["bash", "node_modules/.bin/bash", ...nix],
    nix[0],
  ],
  // WSL is Linux, and Windows drives are no place for its shell.
  [
    "linux",
    { WSL_DISTRO_NAME: "Ubuntu", SHELL: "/mnt/c/git/bin/bash" },
    ["/mnt/c/git/bin/bash", ...debian],
    "/bin/bash",
  ],
  [
    "linux",
    { WSL_INTEROP: "/run/1", PATH: "/mnt/c/bin:/usr/local/bin" },
    ["/mnt/c/bin/bash", "/usr/local/bin/bash"],
    "/usr/local/bin/bash",
  ],
  ["win32", { SHELL: "/usr/bin/bash", PATH: "C:\\Windows" }, debian, "powershell.exe"],
  ["linux", { PATH: "/nothing" }, [], undefined],
] as const)(
  "on %s with %j it is the right shell (A7.6)",
  (platform, env, files: readonly string[], expected) => {
    const shell = platformShell(platform, env, (path) => files.includes(path));
    expect(shell?.file).toBe(expected);
    expect(shell?.kind).toBe(
      expected === undefined ? undefined : platform === "win32" ? "powershell" : "bash",
    );
  },
);

test("a bash reads no start-up file, a PowerShell no profile, and both get the command as one argument", () => {
  const command = "echo 'a b'; $(x)";
  expect(platformShell("linux", {}, () => true)?.args(command)).toEqual(
    expect.arrayContaining(["--noprofile", "--norc", command]),
  );
  expect(platformShell("win32", {})?.args(command)).toEqual(expect.arrayContaining(["-NoProfile", command]));
});

const whyNoBash = platformShell(process.platform, process.env)?.kind === "bash" ? null : "there is no bash";

test(
  "what a person's environment would make bash run or read otherwise does not reach it",
  unless(whyNoBash),
  async () => {
    const folder = temporaryFolder();
    const evil = join(folder, "evil.sh");
    writeFileSync(evil, "echo evil\n");
    const processes = startProcesses({
      env: {
        PATH: process.env["PATH"],
        BASH_ENV: evil,
        ENV: evil,
        "BASH_FUNC_ls%%": "() { echo evil; }",
        "BASH_FUNC_cd%%": "() { echo evil; }",
        SHELLOPTS: "xtrace:posix",
        BASHOPTS: "extglob",
        POSIXLY_CORRECT: "1",
        CDPATH: "/usr",
      },
    });
    onTestFinished(() => processes.close());
    const shell = platformShell(process.platform, process.env);
    if (shell?.kind !== "bash") throw new Error("there is no bash");
    const command = "ls; cd bin 2>/dev/null || echo none; echo $-; shopt -q extglob || echo plain; pwd";
    const request = { id: "r", owner: MAIN, cwd: folder, timeoutMs: 60_000, maxOutputBytes: 1_000 };
    const { stdout, stderr } = await processes.run({
      ...request,
      file: shell.file,
      args: shell.args(command),
    });
    expect(stdout.split("\n").slice(0, 2)).toEqual(["evil.sh", "none"]);
    expect(stdout).toMatch(/^[^x]*\nplain\n/m);
    expect(stderr).not.toContain("evil");
  },
);

test.each([
  ["\0/a/b\n", "/a/b"],
  ["\0/a\n/b \n", "/a\n/b "],
  // Only the last report counts; what a command itself wrote there is none.
  ["noise\0/a\n\0/c\n", "/c"],
  ["", null],
  ["/a/b\n", null],
  ["\0", null],
  ["\0relative\n", null],
])("the directory in the report %j is %j", (report, folder) => {
  expect(folderIn(report)).toBe(folder);
});
