import { expect, test } from "vitest";
import { supervised } from "../support/supervised.ts";
import { textOf } from "./checks/conversation.ts";

test("a permission check that throws is a no, said with its reason, and never a yes (fault 61)", async () => {
  const calls = [{ name: "Bash", input: { command: "git status" } }];
  const { supervisor, model } = supervised(
    "in-thread",
    (_request, n) => (n === 0 ? { calls } : { text: "done" }),
    {
      // What is allowed because it only reads asks this of git, and it throws.
      foreignGit() {
        throw new Error("the engine is broken");
      },
    },
  );
  expect((await supervisor.prompt("go")).summary.status).toBe("done");
  const told = model.requests.at(-1)?.messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : content.map((block) => ({ ...block })),
  }));
  expect(textOf(told ?? [])).toContain("the engine is broken");
  expect(textOf(told ?? [])).not.toContain("not a git repository");
  expect(supervisor.usage().denials).toHaveLength(1);
});
