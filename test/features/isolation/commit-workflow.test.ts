import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { commitWorkflow } from "../../../src/tools/bash-prompt.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { supervised } from "../../support/supervised.ts";

const bash = (...commands: readonly string[]): ScriptedTurn => ({
  calls: commands.map((command) => ({ name: "Bash", input: { command } })),
});
const MESSAGE = "Greet by name\n\nA greeting without a name was taken for spam.\n";
const commit = `git add greet.txt && git commit -q -F - <<'EOF'\n${MESSAGE}EOF`;

test("the words about commits are at most 1,500 characters", () => {
  expect(commitWorkflow.join("\n").length).toBeLessThanOrEqual(1_500);
});

test("a commit as the prompt of Bash describes it: by names, by heredoc, and new after a failed hook", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "greet.txt": "hello\n" });
  const cwd = repository.folder;
  // A machine may have no identity of its own.
  await repository.must(["config", "user.name", "A user"]);
  await repository.must(["config", "user.email", "user@example.com"]);
  const at = (name: string) => join(cwd, name);
  writeFileSync(at("greet.txt"), "hello TODO\n");
  writeFileSync(at("secrets.txt"), "key\n");
  writeFileSync(at(".git/hooks/pre-commit"), "#!/bin/sh\n! grep -q TODO greet.txt\n", { mode: 0o755 });
  const { supervisor, model } = supervised(
    "in-thread",
    [
      bash("git status --short", "git diff HEAD", "git log -5 --oneline"),
      bash(commit),
      bash("printf 'hello, reader\\n' > greet.txt"),
      bash(commit),
      bash("git status --short"),
      { text: "Committed; secrets.txt is left out." },
    ],
    { cwd, permissionMode: "bypassPermissions" },
  );
  expect((await supervisor.prompt("Commit this.")).summary.status).toBe("done");
  const told = model.requests[0]?.tools.find(({ name }) => name === "Bash")?.description;
  for (const line of commitWorkflow) expect(told).toContain(line);
  const results = model.requests.map(({ messages }: ModelRequest) => JSON.stringify(messages.at(-1)));
  expect(results[1]).toMatch(/ M greet\.txt.*\+hello TODO/);
  expect(results[2]).toMatch(/exit code:? 1/i);
  expect(results.at(-1)).toContain("?? secrets.txt");
  const said = (args: readonly string[]) => repository.must(args);
  expect((await said(["rev-list", "--count", "HEAD"])).trim()).toBe("2");
  expect(await said(["log", "-1", "--format=%B"])).toBe(`${MESSAGE}\n`);
  expect(await said(["show", "--name-only", "--format=", "HEAD"])).toBe("greet.txt\n");
});
