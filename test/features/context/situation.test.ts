// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { situationFacts } from "../../../src/features/context/situation.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { UserHandler } from "../../../src/policy/user-requests.ts";
import type { PermissionMode } from "../../../src/settings/permissions.ts";
import { emptyRepository } from "../../support/git-repository.ts";
import { supervised } from "../../support/supervised.ts";

const surroundings = { context: { surroundings: true } };
const user: UserHandler = { ask: async () => ({ type: "deny", span: "once" }) };
const textOf = ({ messages }: Pick<ModelRequest, "messages">) => JSON.stringify(messages);
const toolNames = ({ tools }: Pick<ModelRequest, "tools">) => tools.map(({ name }) => name);
const PLAN_FILE = /The one file that you may write is the plan, ([^:]+):/;

describe("what a model knows of its situation", () => {
  test.each<PermissionMode>(["default", "acceptEdits", "dontAsk", "bypassPermissions", "plan"])(
    "names the mode %s when the conversation begins",
    async (permissionMode) => {
      const { supervisor, model } = supervised("in-thread", [{ text: "Yes." }], {
        ...{ ...surroundings, person: user, permissionMode },
      });
      await supervisor.prompt("Hello.");
      expect(textOf(model.requests[0] as ModelRequest)).toContain(`Permission mode: ${permissionMode}.`);
    },
  );

  test("changes with the mode, once for each change, for agents as well", async () => {
    const { supervisor, model } = supervised(
      "in-thread",
      [{ text: "One." }, { text: "Two." }, { text: "Three." }, { text: "Four." }],
      { ...surroundings, person: user },
    );
    await supervisor.prompt("First.");
    supervisor.setMode("plan");
    await supervisor.prompt("Second.");
    await supervisor.spawn({ prompt: "Look." });
    supervisor.setMode("default");
    await supervisor.prompt("Third.");
    const [, second, agent, third] = model.requests.map(textOf);
    expect(second?.match(/Permission mode: plan/g)).toHaveLength(1);
    expect(agent).toContain("Permission mode: plan. Nothing may be changed");
    expect(agent).not.toMatch(PLAN_FILE);
    expect(third?.match(/Permission mode: default/g)).toHaveLength(2);
  });

  test("says that no user can be asked, and offers no tool that could only refuse", async () => {
    const { supervisor, model } = supervised("in-thread", [{ text: "Yes." }], {
      ...{ ...surroundings, permissionMode: "plan" },
    });
    await supervisor.prompt("Plan it.");
    const [request] = model.requests as [ModelRequest];
    expect(textOf(request)).toContain("No user can be asked in this session");
    expect(textOf(request)).toContain("give it in your reply and end your turn");
    for (const name of ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"])
      expect(toolNames(request)).not.toContain(name);
  });

  test("offers these tools if a user can be asked", async () => {
    const { supervisor, model } = supervised("in-thread", [{ text: "Yes." }], {
      ...surroundings,
      person: user,
    });
    await supervisor.prompt("Hello.");
    const [request] = model.requests as [ModelRequest];
    expect(textOf(request)).not.toContain("No user can be asked");
    expect(toolNames(request)).toEqual(
      expect.arrayContaining(["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]),
    );
  });

  test("has the standing words in the system prompt of every agent", async () => {
    const { supervisor, model } = supervised("in-thread", [{ text: "Yes." }, { text: "Found." }]);
    await supervisor.prompt("Hello.");
    await supervisor.spawn({ prompt: "Look." });
    for (const { system } of model.requests) expect(system.join("\n")).toContain("How things are here");
  });

  test("gives agents that edit the rules for code and the git status, and those that look neither", {
    tags: ["long"],
  }, async () => {
    const { folder: cwd } = await emptyRepository();
    writeFileSync(join(cwd, "new.txt"), "new\n");
    const { supervisor, model } = supervised("in-thread", [{ text: "Done." }, { text: "Found." }], {
      ...{ ...surroundings, cwd },
    });
    await supervisor.prompt("Hello.");
    await supervisor.spawn({ type: "general-purpose", prompt: "Edit." });
    await supervisor.spawn({ type: "Explore", prompt: "Look." });
    const [, edits, looks] = model.requests as [ModelRequest, ModelRequest, ModelRequest];
    expect(edits.system.join("\n")).toContain("How to write code");
    expect(textOf(edits)).toMatch(/Git status of [^"]*new\.txt/);
    expect(looks.system.join("\n")).not.toContain("How to write code");
    expect(textOf(looks)).not.toContain("Git status of");
  });

  test("is the same text for the same situation, so that nothing is repeated", () => {
    const of = { mode: "plan", planFile: "/p/plan-1.md", hasUser: true } as const;
    expect(situationFacts(of, true)).toEqual(situationFacts({ ...of }, true));
    expect(situationFacts({ ...of, planFile: "/p/plan-2.md" }, true)).not.toEqual(situationFacts(of, true));
  });
});

describe("the plan file in plan mode (A14.9)", () => {
  test("can be written and edited, and nothing else can", async () => {
    const { folder: cwd } = await emptyRepository();
    let plan = "";
    const { supervisor, model } = supervised(
      "in-thread",
      (request, n) => {
        plan ||= PLAN_FILE.exec(textOf(request))?.[1] ?? "";
        const path = [plan, join(cwd, "other.md"), join(plan, "..", "plan-9.md")][n];
        if (path === undefined) return { text: "Planned." };
        return { calls: [{ name: "Write", input: { file_path: path, content: "1. Look.\n" } }] };
      },
      { ...{ ...surroundings, cwd, person: user, permissionMode: "plan" } },
    );
    await supervisor.prompt("Plan it.");
    expect(readFileSync(plan, "utf8")).toBe("1. Look.\n");
    expect(existsSync(join(cwd, "other.md"))).toBe(false);
    expect(existsSync(join(plan, "..", "plan-9.md"))).toBe(false);
    expect(textOf(model.requests.at(-1) as ModelRequest)).toContain(
      "nothing is written while there is only a plan",
    );
  });
});
