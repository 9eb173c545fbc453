import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { UserRequest } from "../../../src/policy/user-requests.ts";
import { withSkills } from "./with-skills.ts";

const write = (path: string) => ({
  calls: [{ name: "Write", input: { file_path: path, content: "# Project\n\nRun `make test`.\n" } }],
});

test.each(["allow", "deny"] as const)(
  "init writes CLAUDE.md where the user says %s (A18.7)",
  async (type) => {
    const asked: UserRequest[] = [];
    let cwd = "";
    const { supervisor, model, ...own } = withSkills(
      (_, n) => (n === 0 ? write(join(cwd, "CLAUDE.md")) : { text: "Done." }),
      {
        person: {
          async ask(ask) {
            asked.push(ask);
            return type === "allow" ? { type: "allow", span: "once" } : { type: "deny", span: "once" };
          },
        },
      },
    );
    cwd = own.cwd;
    await supervisor.prompt("/init the tests");
    const text = JSON.stringify(model.requests[0]?.messages);
    expect(text).toContain("Write this repository's CLAUDE.md");
    expect(text).toContain("What the user wants to stress: the tests");
    expect(asked).toHaveLength(1);
    const file = join(cwd, "CLAUDE.md");
    if (type === "allow") expect(readFileSync(file, "utf8")).toContain("make test");
    else expect(existsSync(file)).toBe(false);
  },
);

test("review looks at the change itself and reports on it", async () => {
  const { supervisor, model } = withSkills(
    [
      { calls: [{ name: "Bash", input: { command: "git diff HEAD --stat" } }] },
      { text: "Not as it is: a.ts:1." },
    ],
    { allowedTools: ["Bash(git diff:*)"] },
  );
  const { summary } = await supervisor.prompt("/review");
  const text = JSON.stringify(model.requests[0]?.messages);
  expect(text).toContain("Nothing given: `git diff HEAD` and untracked files");
  // The check of what is reported needs the command that was run.
  expect(summary.receipts.commands).toHaveLength(1);
  expect(summary.text).toContain("Not as it is: a.ts:1.");
});

test("what cannot be done yet is said by the skill that is named after it", async () => {
  const { supervisor, model } = withSkills(() => ({ text: "Done." }));
  await supervisor.prompt("/loop 5m check the deploy");
  await supervisor.prompt("/update-config allow npm test");
  const last = JSON.stringify(model.requests.at(-1)?.messages);
  expect(last).toContain("If CronCreate and ScheduleWakeup are not offered");
  // A18.4: by the command that checks and writes as a whole, never by hand.
  expect(last).toContain("Never write a `settings.json` with Write, Edit");
  expect(last).toContain("troupe config set permissions.allow");
  const tools = model.requests[0]?.tools.map(({ name }) => name);
  expect(tools).not.toContain("ScheduleWakeup");
});
