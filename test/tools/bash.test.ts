import { existsSync, mkdirSync, readFileSync, realpathSync, rmdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandRequest, CommandResult } from "../../src/mailbox/runs.ts";
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../../src/tools/bash.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";
import { definitionOf } from "../support/definition-of.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { toolNamed, workbenches } from "./workbench.ts";

const bench = workbenches();
const ended: CommandResult = {
  ...{ outcome: "exited", exitCode: 0, signal: null, durationMs: 1, flooded: false, cwd: null },
  output: { bytes: 0, head: "", tail: null, path: null },
};

/** A context that runs nothing and keeps what was asked. */
function asking(result: Partial<CommandResult> = {}) {
  const asked: CommandRequest[] = [];
  const command = async (request: CommandRequest): Promise<CommandResult> => {
    asked.push(request);
    return { ...ended, ...result };
  };
  return { asked, command };
}

test("its schema is the seed's (A3.6)", () => {
  const { properties, required } = definitionOf(toolNamed("Bash")).input_schema;
  const types = Object.entries(properties ?? {}).map(([name, { type }]: [string, { type?: string }]) => [
    name,
    type,
  ]);
  expect(Object.fromEntries(types)).toEqual({
    command: "string",
    timeout: "number",
    description: "string",
    run_in_background: "boolean",
    dangerouslyDisableSandbox: "boolean",
  });
  expect(required).toEqual(["command"]);
});

describe("the result of a command", () => {
  test("its output, both streams in their order, and its exit code on the last line", async () => {
    const { text } = bench();
    expect(await text("Bash", { command: "echo one; echo two >&2; echo three" })).toBe(
      "one\ntwo\nthree\n[Exit code 0]",
    );
    expect(await text("Bash", { command: "true" })).toBe("(no output)\n[Exit code 0]");
  });

  test("an exit code other than 0 is a result like any other (A7.8)", async () => {
    const it = bench();
    expect(await it.text("Bash", { command: "echo bad; exit 3" })).toBe("bad\n[Exit code 3]");
    expect(await it.text("Bash", { command: "if" })).toMatch(/syntax error[\s\S]*\[Exit code [12]\]$/);
    expect(await it.text("Bash", { command: "no-such-program-here" })).toMatch(
      /not found\n\[Exit code 127\]$/,
    );
    expect(it.ran).toEqual([
      ["echo bad; exit 3", 3],
      ["if", expect.any(Number)],
      ["no-such-program-here", 127],
    ]);
  });

  test("output cannot pass for the runtime's last line", async () => {
    const { text } = bench();
    expect(await text("Bash", { command: "echo '[Exit code 0]'; exit 1" })).toBe(
      "[Exit code 0]\n[Exit code 1]",
    );
  });

  test("reports a command that was ended as an error that says what to do", { tags: ["long"] }, async () => {
    const { failure } = bench();
    expect(await failure("Bash", { command: "kill -KILL $$" })).toMatch(/\[Ended by signal SIGKILL;/);
    const late = await failure("Bash", { command: "echo begun; exec sleep 1000", timeout: 1_500 });
    expect(late).toMatch(/^begun\n\[Ended after [\d.]+ m?s \(timeout\).*run_in_background\.\]$/);
    const unknown = asking({ outcome: "unknown", exitCode: null, reason: "The process host ended." });
    expect(await failure("Bash", { command: "x" }, unknown)).toBe("(no output)\n[The process host ended.]");
    const stopped = asking({ outcome: "cancelled", exitCode: null });
    expect(await failure("Bash", { command: "x" }, stopped)).toContain("the agent was stopped");
  });

  test("children that it left running are said to have ended with it (fault 32)", async () => {
    const { text } = bench();
    expect(await text("Bash", { command: "sleep 1000 & echo up" })).toBe(
      "up\n[It left 1 process running, which ended with it. Start what must continue with run_in_background.]\n[Exit code 0]",
    );
    expect(await text("Bash", { command: "nohup sleep 1000 >/dev/null 2>&1 & disown; echo up" })).toMatch(
      /^up\n\[It left 1 process running/,
    );
  });

  test("stdin is at its end: a command that asks does not wait (fault 33)", async () => {
    const { text } = bench();
    expect(await text("Bash", { command: 'cat; read answer; echo "got $? <$answer>"' })).toBe(
      "got 1 <>\n[Exit code 0]",
    );
  });

  test("hostile output is harmless (fault 30)", async () => {
    const { text } = bench();
    const command = String.raw`printf 'a\0b\033[31mred\033[0m\033]0;title\007 \r\n\200\377 \355\240\200 50%%\r100%%\n'`;
    const shown = await text("Bash", { command });
    expect(shown).toBe("a␀bred \n�� ��� 50%\n100%\n[Exit code 0]");
    expect(shown.isWellFormed()).toBe(true);
  });
});

describe("how long it may take (A7.2)", () => {
  test("two minutes by default, ten at most, which is said", async () => {
    const { text } = bench();
    const first = asking();
    await text("Bash", { command: "make" }, first);
    expect(first.asked[0]?.timeoutMs).toBe(DEFAULT_TIMEOUT_MS);
    const second = asking();
    const said = await text("Bash", { command: "make", timeout: MAX_TIMEOUT_MS + 1 }, second);
    expect(second.asked[0]?.timeoutMs).toBe(MAX_TIMEOUT_MS);
    expect(said).toContain("the most is 600000 ms, which was used");
  });

  test("is what the session says, in its description, too", async () => {
    const { text } = bench();
    const commandLimits = { usual: 300_000, most: 1_800_000 };
    const first = asking();
    await text("Bash", { command: "make" }, { ...first, commandLimits });
    expect(first.asked[0]?.timeoutMs).toBe(300_000);
    const second = asking();
    const said = await text("Bash", { command: "make", timeout: 2_000_000 }, { ...second, commandLimits });
    expect(second.asked[0]?.timeoutMs).toBe(1_800_000);
    expect(said).toContain("the most is 1800000 ms, which was used");
    const toolbox = new Toolbox(() => false);
    toolbox.fill({ ours: [], custom: [], commandLimits });
    const described = JSON.stringify(toolbox.select(["Bash"], []));
    expect(described).toContain("5 minutes unless timeout says otherwise, 30 minutes (1800000 ms) at most");
    expect(described).toContain("(default 300000, at most 1800000)");
  });

  test("a long sleep in the foreground is run, with advice (A4.4)", async () => {
    const { text } = bench();
    const advised = async (command: string) => /Advice/.test(await text("Bash", { command }, asking()));
    expect(await advised("sleep 6")).toBe(true);
    expect(await advised(" sleep 1m ")).toBe(true);
    expect(await advised("sleep 5")).toBe(false);
    expect(await advised("sleep 0.5")).toBe(false);
    expect(await advised("sleep 10 && make")).toBe(false);
  });
});

describe("where it runs (A7.5)", () => {
  test("keeps the directory between commands, and nothing else of the shell", async () => {
    const it = bench({ "sub/deep/x": "" });
    expect(await it.text("Bash", { command: "cd sub/deep && export A=1 && alias b=ls && f() { :; }" })).toBe(
      "(no output)\n[Exit code 0]",
    );
    expect(it.cwd).toBe(join(it.root, "sub/deep"));
    expect(
      await it.text("Bash", { command: "pwd; echo \"<$A>\"; type f b 2>&1 | grep -c 'not found'" }),
    ).toBe(`${join(it.root, "sub/deep")}\n<>\n2\n[Exit code 0]`);
    await it.text("Bash", { command: "cd .. ; false" });
    expect(it.cwd).toBe(join(it.root, "sub"));
    await it.text("Bash", { command: "cd ..; exit 4" });
    expect(it.cwd).toBe(it.root);
  });

  test("a subshell's folder is its own, and so is a failed command's line", async () => {
    const it = bench({ "sub/x": "" });
    await it.text("Bash", { command: "(cd sub)" });
    expect(it.cwd).toBe(it.root);
    await it.text("Bash", { command: "set -e; cd sub; false; cd .." });
    expect(it.cwd).toBe(join(it.root, "sub"));
  });

  test("outside the workspace the directory is set back, which is said", async () => {
    const it = bench();
    const outside = temporaryFolder();
    expect(await it.text("Bash", { command: `cd ${outside}; pwd` })).toBe(
      `${outside}\n[The working directory was set back to ${it.root}: ${outside} is outside the workspace.]\n[Exit code 0]`,
    );
    expect(it.cwd).toBe(it.root);
    // A sibling whose name begins like the workspace's is outside (T8).
    for (const name of ["w", "w2"]) mkdirSync(it.path(name));
    const inW = { root: it.path("w"), cwd: it.path("w") };
    expect(await it.text("Bash", { command: "cd ../w2" }, inW)).toContain("is outside the workspace");
    expect(it.cwd).toBe(it.root);
    // A link in the workspace that leads out of it is outside.
    symlinkSync(outside, join(it.root, "link"));
    expect(await it.text("Bash", { command: "cd link" })).toContain("is outside the workspace");
    await it.text("Bash", { command: `cd ${outside}` }, { additionalDirs: [outside] });
    expect(it.cwd).toBe(outside);
  });

  test("a workspace that is reached by a link keeps the name the agent knows", async () => {
    const it = bench({ "sub/x": "" });
    const link = join(temporaryFolder(), "link");
    symlinkSync(it.root, link);
    await it.text("Bash", { command: "cd sub" }, { cwd: link, root: link });
    expect(it.cwd).toBe(join(link, "sub"));
  });

  test("a directory that is gone is left for the root, which is said (fault 36)", async () => {
    const it = bench({ "sub/x": "" });
    mkdirSync(it.path("gone"));
    await it.text("Bash", { command: "cd gone" });
    rmdirSync(it.path("gone"));
    expect(await it.text("Bash", { command: "pwd" })).toBe(
      `${it.root}\n[The working directory ${it.path("gone")} was deleted, so the command ran in ${it.root}.]\n[Exit code 0]`,
    );
    expect(it.cwd).toBe(it.root);
    await it.text("Bash", { command: "mkdir d; cd d; rmdir ../d" });
    expect(it.cwd).toBe(it.root);
  });

  test("names with a line break and signs are folders like others", async () => {
    const it = bench();
    const name = "a\nb 'c\" ünï";
    mkdirSync(it.path(name));
    await it.text("Bash", { command: "cd a*" });
    expect(it.cwd).toBe(it.path(name));
    expect(await it.text("Bash", { command: "touch here; ls" })).toContain("here");
    expect(existsSync(it.path(name, "here"))).toBe(true);
  });

  test("descriptors of the command are its own", async () => {
    const it = bench({ "sub/x": "" });
    await it.text("Bash", { command: "exec 3>mine; cd sub; echo x >&3" });
    expect(readFileSync(it.path("mine"), "utf8")).toBe("x\n");
    expect(it.cwd).toBe(it.path("sub"));
  });
});

describe("bash as it is", () => {
  test("two commands on two lines, a heredoc, a comment: as bash reads them", async () => {
    const { text } = bench();
    expect(await text("Bash", { command: "cat <<'X'\n$HOME\nX\necho b # c" })).toBe(
      "$HOME\nb\n[Exit code 0]",
    );
  });
});

describe("bad input", () => {
  test.each([
    [{}, "command: required, expected string"],
    [{ command: 1 }, "command: expected string, got number"],
    [{ command: "ls", timeout: "5" }, "timeout: expected number, got string"],
    [{ command: "ls", run_in_background: "yes" }, "run_in_background: expected boolean"],
    [{ command: "  " }, "command is empty"],
    [{ command: "echo a\0b" }, "NUL"],
    [{ command: "ls", timeout: 0 }, "timeout must be at least 1 ms"],
    [{ command: "ls", timeout: -5 }, "timeout must be at least 1 ms"],
  ])("%j is refused with a sentence", async (input, sentence) => {
    expect(await bench().failure("Bash", input)).toContain(sentence);
  });

  test("a command that is too long for the system is not run, which is said; one at the limit is", async () => {
    const { failure, text } = bench();
    const said = await failure("Bash", { command: `: ${"é".repeat(60_000)}` });
    expect(said).toBe(
      "command is too long: it has 120002 bytes, and the most is 120000. Write it to a file and run that.",
    );
    expect(await text("Bash", { command: `: ${"x".repeat(119_998)}` })).toBe("(no output)\n[Exit code 0]");
  });

  test("without a sandbox, asking to do without it changes nothing and is not spoken of", async () => {
    const { text } = bench();
    expect(await text("Bash", { command: "echo a", dangerouslyDisableSandbox: true })).toBe(
      "a\n[Exit code 0]",
    );
  });
});

test("shows the user the command and what it is for, and gates the directory", () => {
  const call = toolNamed("Bash").prepare({ command: "npm test", description: "Run the tests" });
  if (call.type !== "ready") throw new Error(call.message);
  expect(call).toMatchObject({ title: "npm test", description: "Run the tests" });
  expect(call.accesses("/repo")).toEqual([{ kind: "execute", target: "/repo" }]);
  expect(toolNamed("Bash").prepare({ command: "npm test" })).toMatchObject({ title: "npm test" });
});

describe("long output (A7.1, A19.6)", () => {
  test("30,000 characters are shown whole, one more is cut in the middle, and the file has all", async () => {
    const { text } = bench();
    const exact = await text("Bash", { command: "head -c 30000 /dev/zero | tr '\\0' x" });
    expect(exact).toBe(`${"x".repeat(30_000)}\n[Exit code 0]`);
    const cut = await text("Bash", { command: "head -c 30001 /dev/zero | tr '\\0' x" });
    const path = /All of it is in (.*?):/.exec(cut)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toBe("x".repeat(30_001));
    expect(cut).toMatch(/^x{15000}\n\[Cut here: the output is 30\.0 kB\. .*\]\nx{15000}\n\[Exit code 0\]$/);
  });

  test("the cut is at lines, and the beginning and the end are there", async () => {
    const { text } = bench();
    const shown = await text("Bash", { command: "seq 1 100000" });
    expect(shown).toMatch(/^1\n2\n3\n/);
    expect(shown).toMatch(/\n99999\n100000\n\[Exit code 0\]$/);
    const lines = shown.split("\n").filter((line) => !line.startsWith("["));
    expect(lines.every((line) => /^\d+$/.test(line))).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(30_000 + 400);
  });

  test("Read pages through the file that is named", async () => {
    const it = bench();
    const shown = await it.text("Bash", { command: "seq 1 20000" });
    const path = /All of it is in (.*?):/.exec(shown)?.[1] ?? "";
    expect(realpathSync(path)).toBe(path);
    expect(await it.text("Read", { file_path: path, offset: 15_000, limit: 2 })).toMatch(
      /^15000\t15000\n15001\t15001\n/,
    );
  });

  test("short output leaves no file", async () => {
    const it = bench();
    let path: string | null = "unset";
    await it.text(
      "Bash",
      { command: "echo short" },
      {
        command: async (request) => {
          const result = await it.command(request);
          path = result.output.path;
          return result;
        },
      },
    );
    expect(path).toBeNull();
  });
});
