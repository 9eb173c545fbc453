import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { agentsIn, places, simple } from "../context/agents/agent-files.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

const withServer = { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_MODEL: "opus" };

function here(env: Readonly<Record<string, string>> = {}) {
  const { project, homedir } = places();
  const run = async (...argv: string[]) => {
    const io = new FakeIO({ cwd: project, homedir, env: { TROUPE_HOME: join(homedir, ".troupe"), ...env } });
    const runtime = new FakeRuntime();
    const code = await main(argv, io, runtime);
    return { code, err: io.err.text, options: runtime.sessions[0]?.options };
  };
  return { project, homedir, run };
}

describe("the role of the main conversation", () => {
  test("--system-prompt replaces it", async () => {
    const { options } = await here().run("-p", "x", "--system-prompt", "You are a poet.");
    expect(options).toMatchObject({ systemPrompt: "You are a poet." });
  });

  test("--system-prompt-file reads it, relative to the current directory", async () => {
    const { project, run } = here();
    writeFileSync(join(project, "role.md"), "\uFEFFYou are\na poet.\n");
    const { options } = await run("-p", "x", "--system-prompt-file", "role.md");
    expect(options).toMatchObject({ systemPrompt: "You are\na poet.\n" });
  });

  test("--append-system-prompt-file adds a file to it, also to a role of its own", async () => {
    const { project, run } = here();
    writeFileSync(join(project, "more.md"), "\uFEFFBe brief.\n");
    const file = ["--append-system-prompt-file", "more.md"];
    expect((await run("-p", "x", ...file)).options).toMatchObject({ appendSystemPrompt: "Be brief.\n" });
    expect((await run("-p", "x", ...file, "--system-prompt", "A poet.")).options).toMatchObject({
      systemPrompt: "A poet.",
      appendSystemPrompt: "Be brief.\n",
    });
    const both = await run("-p", "x", ...file, "--append-system-prompt", "y");
    expect(both.code).toBe(2);
    expect(both.err).toContain(
      "--append-system-prompt and --append-system-prompt-file both add to the system prompt; give one of them.",
    );
    const missing = await run("-p", "x", "--append-system-prompt-file", "no.md");
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('--append-system-prompt-file: "no.md" cannot be read');
  });

  test("--agent takes a definition, with its model, unless --model or a setting names another", async () => {
    const { homedir, run } = here(withServer);
    agentsIn(homedir, { "dba.md": simple("dba", "tools: Read\nmodel: haiku\n") });
    expect((await run("-p", "x", "--agent", "DBA")).options).toMatchObject({
      mainAgent: { name: "dba", tools: ["Read"] },
      model: "haiku",
    });
    const named = await run("-p", "x", "--agent", "dba", "--model", "sonnet");
    expect(named.options).toMatchObject({ model: "sonnet" });
    expect((await run("-p", "x", "--agent", "general-purpose")).options).toMatchObject({ model: "opus" });
    writeFileSync(
      join(homedir, ".claude", "settings.json"),
      '{"troupe": {"agentModels": {"dba": "sonnet"}}}',
    );
    expect((await run("-p", "x", "--agent", "dba")).options).toMatchObject({ model: "sonnet" });
  });

  test.each([
    [["--system-prompt", "a", "--agent", "Explore"], "--system-prompt and --agent both say what"],
    [
      ["--system-prompt", "a", "--system-prompt-file", "b"],
      "--system-prompt and --system-prompt-file both say",
    ],
    [["--system-prompt-file", "missing"], '--system-prompt-file: "missing" cannot be read'],
    [["--system-prompt-file", "empty"], '--system-prompt-file: "empty" is empty.'],
    [["--agent", "Explorr"], 'There is no agent "Explorr" (did you mean Explore?)'],
  ])("%j is a usage error that says so", async (flags, sentence) => {
    const { project, run } = here();
    writeFileSync(join(project, "empty"), " \n");
    const { code, err, options } = await run("-p", "x", ...flags);
    expect({ code, options }).toEqual({ code: 2, options: undefined });
    expect(err).toContain(sentence);
  });
});
