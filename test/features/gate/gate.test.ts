import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readJournal } from "../../../src/journal/reader.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { UserAnswer, UserHandler, UserRequest } from "../../../src/policy/user-requests.ts";
import type { Rule } from "../../../src/settings/permissions.ts";
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const rule = (behaviour: Rule["behaviour"], text: string): Rule => ({
  ...{ text, behaviour, scope: "project" },
  file: "/p/.claude/settings.json",
});

/** The results that the model reads in its last message. */
function resultsIn(request: ModelRequest | undefined): string[] {
  const content = request?.messages.at(-1)?.content;
  if (typeof content === "string" || content === undefined) return [];
  return content.flatMap((block) => {
    if (block.type !== "tool_result") return [];
    return [typeof block.content === "string" ? block.content : JSON.stringify(block.content)];
  });
}

function answering(answer: (ask: UserRequest) => UserAnswer): {
  readonly person: UserHandler;
  readonly asks: UserRequest[];
} {
  const asks: UserRequest[] = [];
  return {
    asks,
    person: {
      async ask(ask) {
        asks.push(ask);
        return answer(ask);
      },
    },
  };
}

const bash = (...commands: string[]) => ({
  calls: commands.map((command) => ({ name: "Bash", input: { command } })),
});

describe.each(shippedHosts)("the gate, %s", (host) => {
  test("an allowed command runs, a denied one is an error that the model reads, an unmatched one is listed (A6.4, A6.9)", {
    tags: ["long"],
  }, async () => {
    const { supervisor, model } = supervised(
      host,
      [bash("npm test --silent", "rm -rf build", "make all", "pwd"), { text: "ok" }],
      { rules: [rule("allow", "Bash(npm test:*)"), rule("deny", "Bash(rm -rf*)")] },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    const [test, removal, make, pwd] = resultsIn(model.requests[1]);
    expect(test).toContain("Exit code");
    expect(removal).toContain("Bash(rm -rf*)");
    expect(make).toContain("needs the user's permission");
    expect(make).toContain("--allowed-tools 'Bash(make all)'");
    expect(pwd).toContain("Exit code 0");
    expect(supervisor.usage().denials).toMatchObject([
      { tool_input: { command: "rm -rf build" }, by: "rules", grants: [], rule: { text: "Bash(rm -rf*)" } },
      {
        tool_input: { command: "make all" },
        grants: ["Bash(make all)"],
        reason: expect.stringContaining("read-only"),
      },
    ]);
  });

  test("records each decision in the journal with its reason: the rule and its file, the mode, no user", async () => {
    const { supervisor } = supervised(host, [bash("rm -rf build", "make all", "pwd"), { text: "ok" }], {
      rules: [rule("deny", "Bash(rm -rf*)")],
    });
    await supervisor.prompt("go");
    await supervisor.close();
    const reading = await readJournal(join(supervisor.folder, "journal.jsonl"));
    if (reading.type !== "read") throw new Error(reading.reason);
    const decided = reading.records.flatMap(({ event }) => (event.type === "before" ? [event] : []));
    expect(decided).toMatchObject([
      {
        decision: "refuse",
        by: "rules",
        rule: { text: "Bash(rm -rf*)", scope: "project", file: "/p/.claude/settings.json" },
      },
      { decision: "refuse", by: "nobody" },
      { decision: "go", by: "rules", reason: expect.stringMatching(/./) },
    ]);
  });

  test("warns of a deny rule for an unknown tool name, which forbids nothing", () => {
    const disallowedTools = ["Bahs", "Edti(src/**)", "Bash", "Task", "mcp__db", "WebFetch(domain:x.y)"];
    const { events } = supervised(host, [], { disallowedTools });
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    expect(warnings.filter((message) => message.includes("forbids nothing"))).toEqual([
      expect.stringContaining("The rule Bahs "),
      expect.stringContaining("The rule Edti(src/**) "),
    ]);
  });

  test("the same rules hold two agents deep (A6.8)", { tags: ["long"] }, async () => {
    const agent = (prompt: string) => ({
      calls: [{ name: "Agent", input: { description: prompt, prompt, subagent_type: "general-purpose" } }],
    });
    const results: string[] = [];
    const { supervisor } = supervised(
      host,
      (request) => {
        const said = JSON.stringify(request.messages[0]);
        const done = request.messages.length > 1;
        if (said.includes("deepest")) {
          if (!done) return bash("echo hello > made.txt", "touch made.txt", "echo hi");
          results.push(...resultsIn(request));
          return { text: "deep report" };
        }
        if (done) return { text: "report" };
        return said.includes("middle") ? agent("deepest") : agent("middle");
      },
      { rules: [rule("deny", "Bash(touch:*)")] },
    );
    await supervisor.prompt("top");
    expect(results[0]).toContain("needs the user's permission");
    expect(results[1]).toContain("Bash(touch:*)");
    expect(results[2]).toContain("hi\n[Exit code 0]");
    expect(supervisor.usage().denials).toHaveLength(2);
  });

  test("a question shows who asks for what and why; once is once, a session's grant holds for every agent (A6.10)", async () => {
    const { person, asks } = answering((ask) =>
      ask.type === "permission" && ask.title.includes("two")
        ? { type: "allow", span: "session" }
        : { type: "allow", span: "once" },
    );
    const { supervisor, model } = supervised(
      host,
      [
        bash("mkdir one"),
        { calls: [{ name: "Bash", input: { command: "mkdir two && ls", description: "makes two" } }] },
        bash("mkdir one/b", "mkdir two"),
        { text: "ok" },
      ],
      { person },
    );
    await supervisor.prompt("go");
    expect(asks.map((ask) => ask.type === "permission" && ask.title)).toEqual([
      "mkdir one",
      "mkdir two && ls",
      "mkdir one/b",
    ]);
    expect(asks[1]).toMatchObject({
      tool: "Bash",
      level: "execute",
      askers: [{ path: ["main conversation"] }],
      description: "makes two",
      details: expect.arrayContaining([{ name: "command", value: "mkdir two && ls" }]),
      grants: ["Bash(mkdir two)"],
    });
    expect(resultsIn(model.requests[3])[1]).toContain("File exists");
    expect(supervisor.rules().map(({ text, scope }) => [text, scope])).toEqual([
      ["Bash(mkdir two)", "session"],
    ]);
  });

  test("shows what an edit would change, and still offers its rule for the session (issue 21, 3)", async () => {
    const { person, asks } = answering(() => ({ type: "allow", span: "session" }));
    const made = supervised(
      host,
      (request) =>
        resultsIn(request).length > 0
          ? { text: "ok" }
          : { calls: [{ name: "Write", input: { file_path: `${made.cwd}/a`, content: "one\n2\n" } }] },
      { person, files: { a: "one\ntwo\n" } },
    );
    await made.supervisor.prompt("go");
    expect(asks).toMatchObject([
      { diff: { added: 1, removed: 1, hunks: [{ lines: [" one", "-two", "+2"] }] } },
    ]);
    expect(asks[0]).toMatchObject({ grants: [expect.stringMatching(/./)] });
    expect(readFileSync(join(made.cwd, "a"), "utf8")).toBe("one\n2\n");
  });

  test("does not ask about a call whose input cannot work, and says what is wrong with it", async () => {
    const { person, asks } = answering(() => ({ type: "allow", span: "once" }));
    const { supervisor, model } = supervised(
      host,
      [
        {
          calls: [
            { name: "Write", input: { file_path: "a", content: "x" } },
            { name: "Edit", input: { file_path: "b", old_string: "1", new_string: "2" } },
            { name: "NotebookEdit", input: { notebook_path: "/c.txt", cell_id: "1", new_source: "" } },
            { name: "Bash", input: { command: "touch d", timeout: 0 } },
          ],
        },
        { text: "ok" },
      ],
      { person },
    );
    await supervisor.prompt("go");
    expect(asks).toEqual([]);
    expect(resultsIn(model.requests[1]).join("\n")).toMatch(
      /file_path must be absolute.*\nfile_path must be absolute.*\n.* is not a notebook.*\ntimeout must be at least 1 ms/,
    );
  });

  test("titles a question with the command or the path itself, whatever the model calls it (issue 14)", async () => {
    const { person, asks } = answering(() => ({ type: "deny", span: "once" }));
    const command = "\n touch \u0007'a'\u202e\nls";
    const [file_path, notebook_path] = ["/elsewhere/a\u001b[2Jb", "/elsewhere/n.ipynb"];
    const calls = [
      { name: "Bash", input: { command, description: " ls \u0007" } },
      { name: "Write", input: { file_path, content: "x" } },
      { name: "Read", input: { file_path, offset: 3 } },
      { name: "NotebookEdit", input: { notebook_path, cell_id: "c", new_source: "x" } },
    ];
    const { supervisor } = supervised(host, [{ calls }, { text: "ok" }], { person });
    await supervisor.prompt("go");
    const titles = asks.flatMap((ask) => (ask.type === "permission" ? [[ask.tool, ask.title]] : []));
    expect(titles.toSorted()).toEqual([
      ["Bash", command],
      ["NotebookEdit", notebook_path],
      ["Read", file_path],
      ["Write", file_path],
    ]);
  });

  test("an answer can put another input in the call's place, and what forbids that one still does (fault 57)", async () => {
    const inputs = [{ command: "mkdir kept && ls" }, { command: "rm -rf build" }, { command: 5 }];
    const { person, asks } = answering(() => ({ type: "allow", span: "once", input: inputs.shift() ?? {} }));
    const { supervisor, model } = supervised(
      host,
      [bash("make one"), bash("make two"), bash("make three"), { text: "ok" }],
      { person, rules: [rule("deny", "Bash(rm -rf*)")] },
    );
    await supervisor.prompt("go");
    expect(asks[0]).toMatchObject({ input: { command: "make one" }, toolUse: expect.any(String) });
    expect(resultsIn(model.requests[1])[0]).toContain("kept");
    expect(resultsIn(model.requests[2])[0]).toContain("Bash(rm -rf*)");
    expect(resultsIn(model.requests[3])[0]).toContain("which is invalid");
    expect(supervisor.usage().denials.map(({ tool_input }) => tool_input)).toEqual([
      { command: "make two" },
      { command: "make three" },
    ]);
  });

  test("tells the agent the user's reason, and does not repeat a question denied for the session", async () => {
    const { person, asks } = answering(() => ({ type: "deny", span: "session", message: "not on a Friday" }));
    const { supervisor, model } = supervised(host, [bash("make"), bash("make"), { text: "ok" }], { person });
    await supervisor.prompt("go");
    expect(resultsIn(model.requests[1])[0]).toContain("not on a Friday");
    expect(resultsIn(model.requests[2])[0]).toContain("not on a Friday");
    expect(asks).toHaveLength(1);
  });

  test("a call that the user denied for the session does not run as the edited input of another one (S14)", async () => {
    const { person, asks } = answering((ask) =>
      ask.type === "permission" && ask.title === "mkdir denied"
        ? { type: "deny", span: "session", message: "not on a Friday" }
        : { type: "allow", span: "once", input: { command: "mkdir denied" } },
    );
    const { supervisor, model, cwd } = supervised(
      host,
      [bash("mkdir denied"), bash("mkdir other"), { text: "ok" }],
      { person },
    );
    await supervisor.prompt("go");
    expect(asks).toHaveLength(2);
    expect(resultsIn(model.requests[2])[0]).toContain("not on a Friday");
    expect(existsSync(join(cwd, "denied"))).toBe(false);
  });

  test("a search leaves out the files that a rule denies (A10.6)", async () => {
    const { supervisor, model } = supervised(
      host,
      [
        {
          calls: [
            { name: "Grep", input: { pattern: "needle" } },
            { name: "Glob", input: { pattern: "**/*" } },
            { name: "Grep", input: { pattern: "needle", output_mode: "content" } },
          ],
        },
        { text: "ok" },
      ],
      {
        rules: [rule("deny", "Read(.env)"), rule("deny", "Read(secrets/**)")],
        files: { "a.txt": "needle\n", ".env": "needle\n", "secrets/b.txt": "needle\n" },
      },
    );
    await supervisor.prompt("go");
    for (const result of resultsIn(model.requests[1])) {
      expect(result).toContain("a.txt");
      expect(result).not.toMatch(/\.env|secrets/);
    }
  });

  test("does not follow a link out of the workspace (A6.5)", async () => {
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, "own.txt"), "own");
    const { supervisor, model, cwd } = supervised(
      host,
      () => {
        if (model.requests.length > 1) return { text: "ok" };
        return {
          calls: [
            { name: "Read", input: { file_path: join(cwd, "link", "own.txt") } },
            { name: "Write", input: { file_path: join(cwd, "link", "own.txt"), content: "taken" } },
          ],
        };
      },
      { permissionMode: "acceptEdits" },
    );
    symlinkSync(elsewhere, join(cwd, "link"));
    await supervisor.prompt("go");
    for (const result of resultsIn(model.requests[1]))
      expect(result).toContain("needs the user's permission");
    expect(readFileSync(join(elsewhere, "own.txt"), "utf8")).toBe("own");
  });

  test("runs hooks first: what they block is not asked, and rules see their input (A5.1, A5.5, A5.7)", async () => {
    const hook = (matcher: string, command: string) => ({ matcher, hooks: [{ type: "command", command }] });
    const value = {
      PreToolUse: [
        hook("Bash", `grep -q forbidden "/dev/stdin" && { echo "never that" >&2; exit 2; }; exit 0`),
        hook(
          "Write",
          `printf '{"hookSpecificOutput": {"updatedInput": {"file_path": "%s/moved.txt", "content": "by the hook"}}}' "$CLAUDE_PROJECT_DIR"`,
        ),
      ],
      PostToolUse: [hook("Write", "echo formatted")],
    };
    const { person, asks } = answering(() => ({ type: "deny", span: "once" }));
    const { supervisor, model, cwd } = supervised(
      host,
      () =>
        model.requests.length > 1
          ? { text: "ok" }
          : {
              calls: [
                { name: "Bash", input: { command: "echo forbidden > x" } },
                { name: "Write", input: { file_path: join(cwd, ".git", "hooks", "x"), content: "mine" } },
              ],
            },
      { person, permissionMode: "acceptEdits", hooks: [{ scope: "user", file: "/u/settings.json", value }] },
    );
    await supervisor.prompt("go");
    const [stopped, written] = resultsIn(model.requests[1]);
    expect(stopped).toContain("never that");
    expect(written).toContain("formatted");
    expect(readFileSync(join(cwd, "moved.txt"), "utf8")).toBe("by the hook");
    expect(asks).toEqual([]);
  });

  test("reports a failed hook's text without its secrets", { tags: ["long"] }, async () => {
    const value = {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: "echo sk-my-own-secret-1 >&2; exit 3" }] },
      ],
    };
    const { supervisor, events } = supervised(host, [bash("pwd"), { text: "ok" }], {
      hooks: [{ scope: "user", file: "/u/settings.json", value }],
      redact: ["sk-my-own-secret-1"],
    });
    await supervisor.prompt("go");
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    expect(warnings.join("\n")).toContain("exit code 3");
    expect(warnings.join("\n")).not.toContain("sk-my-own-secret-1");
  });

  test("lets a hook's allow answer a question and override no rule; its ask always asks (A5.4)", async () => {
    const decision = (word: string) =>
      `echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "${word}"}}'`;
    const value = {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: decision("allow") }] },
        { matcher: "Read", hooks: [{ type: "command", command: decision("ask") }] },
      ],
    };
    const { supervisor, model, cwd } = supervised(
      host,
      () =>
        model.requests.length > 1
          ? { text: "ok" }
          : {
              calls: [
                { name: "Bash", input: { command: "mkdir made" } },
                { name: "Bash", input: { command: "touch x" } },
                { name: "Bash", input: { command: "rm -rf /" } },
                { name: "Read", input: { file_path: join(cwd, "a.txt") } },
              ],
            },
      {
        rules: [rule("deny", "Bash(touch:*)")],
        hooks: [{ scope: "user", file: "/u/settings.json", value }],
        files: { "a.txt": "a" },
      },
    );
    await supervisor.prompt("go");
    const [made, touch, removal, read] = resultsIn(model.requests[1]);
    expect(made).toContain("Exit code 0");
    expect(touch).toContain("Bash(touch:*)");
    expect(removal).toContain("needs the user's permission");
    expect(read).toContain("needs the user's permission");
  });

  test("UserPromptSubmit adds to a prompt or stops it before any model is asked; Stop makes the agent continue (A5.9, A5.10)", async () => {
    const one = (command: string) => [{ hooks: [{ type: "command", command }] }];
    const value = {
      UserPromptSubmit: one(
        `grep -q stopme "/dev/stdin" && { echo "no such prompts" >&2; exit 2; }; echo "and be brief"`,
      ),
      Stop: one(`grep -q '"stop_hook_active":true' "/dev/stdin" || { echo "check your work" >&2; exit 2; }`),
    };
    const { supervisor, model } = supervised(host, [{ text: "one" }, { text: "two" }], {
      hooks: [{ scope: "user", file: "/u/settings.json", value }],
    });
    const stopped = await supervisor.prompt("please stopme");
    expect(stopped.summary).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("no such prompts"),
    });
    expect(model.requests).toHaveLength(0);
    const { summary } = await supervisor.prompt("hello");
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("and be brief");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("check your work");
    expect(model.requests).toHaveLength(2);
    expect(summary.status).toBe("done");
  });

  test("changes nothing in plan mode, by no descendant, whatever the rules allow (A6.7)", async () => {
    const { supervisor, model, cwd } = supervised(
      host,
      () =>
        model.requests.length > 1
          ? { text: "ok" }
          : {
              calls: [
                { name: "Write", input: { file_path: join(cwd, "a.txt"), content: "x" } },
                ...bash("touch b").calls,
              ],
            },
      { permissionMode: "plan", rules: [rule("allow", "Write"), rule("allow", "Edit")] },
    );
    await supervisor.prompt("go");
    const [write, touch] = resultsIn(model.requests[1]);
    expect(write).toContain("plan");
    expect(touch).toContain("needs the user's permission");
    supervisor.setMode("bypassPermissions");
    expect(supervisor.mode()).toBe("bypassPermissions");
  });
});
