import { execFileSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { type Files, type Folders, foldersWith } from "../settings/folders.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

async function permissions(given: Files | Folders, ...words: string[]) {
  const folders = "fileOf" in given ? given : foldersWith(given);
  const { homedir, root, managed } = folders as Folders;
  const io = Object.assign(new FakeIO({ homedir, cwd: root }), { managedSettings: managed });
  const runtime = new FakeRuntime();
  const code = await main(["permissions", ...words], io, runtime);
  expect(runtime.sessions).toEqual([]);
  return { code, out: io.out.text, err: io.err.text };
}

const files: Files = {
  user: { permissions: { allow: ["Bash(npm test:*)"], ask: ["Bash(npm test --slow:*)"] } },
  project: { permissions: { deny: ["Bash(git push:*)", "Read(.env)"], allow: ["WebFetch"] } },
};

describe("troupe permissions explain (A6.9)", () => {
  test.each([
    [["Bash(npm test --silent)"], 0, "allow"],
    [["Bash(npm test --slow now)"], 1, "ask"],
    [["Bash(git push origin)"], 1, "deny"],
    [["Read(a.ts)"], 0, "allow"],
    [["Read(.env)"], 1, "deny"],
    [["Edit(src/a.ts)"], 1, "ask"],
    [["Edit(src/a.ts)", "--mode", "acceptEdits"], 0, "allow"],
    [["Edit(src/a.ts)", "--permission-mode", "plan"], 1, "deny"],
    [["Write", "--input", '{"file_path": "src/a.ts", "content": ""}'], 1, "ask"],
    [["WebFetch(https://example.org/a)"], 1, "ask"],
    [["WebFetch(https://example.org/a)", "--trust"], 0, "allow"],
    [["Agent(Explore)"], 0, "allow"],
    [["Task(Explore)", "--disallowed-tools", "Task(Explore)"], 1, "deny"],
    [["mcp__db__query"], 1, "ask"],
    [["mcp__db__query", "--allowed-tools", "mcp__db"], 0, "allow"],
    [["Bash(touch a)", "--mode", "bypass"], 0, "allow"],
  ])("%j is exit code %i, %s", async (words, code, decision) => {
    const found = await permissions(files, "explain", ...words);
    expect(found).toMatchObject({ code });
    expect(found.out).toMatch(new RegExp(`^${decision}  `));
  });

  test("denies the fleet's key in every mode, wherever a setting has it", async () => {
    const key = join(temporaryFolder(), "key");
    writeFileSync(key, "");
    const words = ["explain", `Read(/${key})`, "--mode", "bypass"];
    expect((await permissions({ user: { troupe: { runners: { key } } } }, ...words)).code).toBe(1);
    expect((await permissions({}, ...words)).code).toBe(0);
  });

  test("refuses --allowed-tools if the organisation allows no rules but its own (issue 20, 7)", async () => {
    const only = { ...files, enterprise: { allowManagedPermissionRulesOnly: true } };
    const { code, err } = await permissions(only, "explain", "Bash(ls)", "--allowed-tools", "Bash");
    expect([code, err]).toEqual([2, expect.stringContaining("so --allowed-tools cannot be used")]);
    expect((await permissions(only, "explain", "Bash(npm test --silent)")).code).toBe(1);
  });

  test("says which rule decided, and its file", async () => {
    const folders = foldersWith(files);
    const { out, err } = await permissions(folders, "explain", "Bash(git push origin)");
    expect(out).toBe(
      [
        "deny  Bash(git push origin)",
        "  It would be refused.",
        "  why        the rule Bash(git push:*) denies it",
        `  rule       deny Bash(git push:*)  (project, ${folders.fileOf("project")})`,
        "  mode       default",
        "",
      ].join("\n"),
    );
    expect(err).toContain("This directory is not trusted");
  });

  test("shows each part of a command, and the narrowest rules that would let it through", async () => {
    const words = ["explain", "Bash(npm test && make all > out.txt)"];
    const { out } = await permissions(files, ...words);
    expect(out).toMatch(/\n {2}parts {6}allow {2}npm test\n {13}ask {4}make all/);
    expect(out).toMatch(
      /\n {2}allow it {3}Bash\(make all\)[\s\S]* {13}in permissions\.allow of your settings/,
    );
    const { out: json } = await permissions(files, ...words, "--json");
    expect(JSON.parse(json)).toMatchObject({
      tool: "Bash",
      decision: "ask",
      rule: null,
      parts: [{ text: "npm test", decision: "allow" }, { decision: "ask" }],
      grants: expect.arrayContaining(["Bash(make all)"]),
      mode: "default",
    });
  });

  test("git asks where the directory brings what git would run, until it is trusted", async () => {
    const folders = foldersWith({});
    execFileSync("git", ["init", "-q", folders.root]);
    appendFileSync(join(folders.root, ".git/config"), "[core]\n\tfsmonitor = ./evil\n");
    const { code, out } = await permissions(folders, "explain", "Bash(git status)");
    expect(code).toBe(1);
    expect(out).toMatch(/why .*evil/);
    expect((await permissions(folders, "explain", "Bash(git status)", "--trust")).code).toBe(0);
  });

  test("says so where no rule could allow it", async () => {
    const { out } = await permissions({}, "explain", "Bash(rm -rf /)");
    expect(out).toContain("no rule is offered: each time is a question");
  });

  test("tells what the sandbox and hooks would have to say, and runs neither", async () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2" }] }] };
    const user = { hooks, troupe: { sandbox: { mode: "on", autoAllow: true } } };
    const { out } = await permissions({ user }, "explain", "Bash(make all)");
    expect(out).toContain("The sandbox makes the question unnecessary if it works");
    expect(out).toContain('The PreToolUse hook "exit 2"');
    const onlyGit = { type: "command", command: "exit 2", if: "Bash(git *)" };
    const limited = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [onlyGit] }] } };
    expect((await permissions({ user: limited }, "explain", "Bash(make all)")).out).not.toContain("hook");
    expect((await permissions({ user }, "explain", "Edit(a)")).out).not.toContain("besides");
    const required = { troupe: { sandbox: { mode: "required" } } };
    const leaving = '{"command": "make", "dangerouslyDisableSandbox": true}';
    const left = await permissions({ user: required }, "explain", "Bash", "--input", leaving);
    expect(left.out).toContain("dangerouslyDisableSandbox is not honoured");
  });

  test("a command cannot hide what it is", async () => {
    const { out } = await permissions({}, "explain", "Bash(echo a\u202e\u001b[2K\nrm b)");
    expect(out).toContain("<U+202E>");
    expect(out).not.toContain("\u001b");
  });

  test.each([
    [["explain", "Bash"], "Bash needs the command; write it as 'Bash(…)'."],
    [["explain", "WebFetch()"], "WebFetch needs the address"],
    [["explain", "git push"], '"git push" is not a call; write it as a tool and its input'],
    [["explain", "mcp__db__query(all)"], "Give the input of mcp__db__query as JSON"],
    [["explain", "Write", "--input", "{"], '--input is not valid JSON: "{"'],
    [["explain", "Write", "--input", "[]"], "--input must be a JSON object"],
    [["explain", "Write(a)", "--input", "{}"], "given twice"],
    [["explain", "Read(a)", "--cwd", "nowhere"], "--cwd"],
    [["explain", "Read(a)", "--mode", "plann"], "(did you mean plan?)"],
  ])("%j is wrong usage: %s", async (words, sentence) => {
    const found = await permissions({}, ...words);
    expect(found).toMatchObject({ code: 2, out: "" });
    expect(found.err).toContain(sentence);
  });

  test("a mode that the organisation does not allow is wrong usage too", async () => {
    const enterprise = { permissions: { defaultMode: "default" } };
    const { code, err } = await permissions({ enterprise }, "explain", "Edit(a)", "--mode", "acceptEdits");
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("organisation") });
  });

  test("notes that a rule's pattern is read as a call", async () => {
    expect((await permissions({}, "explain", "Bash(git push:*)")).err).toContain("pattern of a rule");
  });
});

describe("troupe permissions list", () => {
  test("shows mode, workspace and rules with their files, those that restrict first, and what is wrong with them", async () => {
    const folders = foldersWith({
      ...files,
      local: { permissions: { deny: ["Bash("], defaultMode: "plan" } },
    });
    const { code, out } = await permissions(folders, "list");
    expect(code).toBe(0);
    const lines = out.split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "  mode       plan, from settings",
      `  workspace  ${folders.root}`,
      "",
    ]);
    expect(lines.slice(3).map((line) => line.split(" ")[0])).toEqual(
      expect.arrayContaining(["deny", "ask", "allow"]),
    );
    expect(out).toContain(`deny   Bash(git push:*)         project, ${folders.fileOf("project")}\n`);
    expect(out).toMatch(/Bash\( .*parenthesis/);
    expect(out).not.toContain("WebFetch");
    const json = JSON.parse((await permissions(folders, "list", "--json", "--trust")).out);
    expect(json).toMatchObject({ mode: "plan", workspace: [folders.root], problems: [expect.any(String)] });
    expect(json.rules).toContainEqual({
      ...{ text: "WebFetch", behaviour: "allow", scope: "project" },
      file: folders.fileOf("project"),
    });
  });

  test("says that there is no rule", async () => {
    expect((await permissions({}, "list")).out).toContain("No rule is in force");
  });
});
