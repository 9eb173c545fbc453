import { describe, expect, test } from "vitest";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { bindTool } from "../../src/tools/bind-tool.ts";
import { worktreeTools } from "../../src/tools/session-tools.ts";
import type { CallContext } from "../../src/tools/tool.ts";
import {
  type EnteredWorktree,
  enterWorktreeTool,
  type LeftWorktree,
  type WorktreeService,
} from "../../src/tools/worktree.ts";

const context: CallContext = {
  ...{ call: callId(MAIN, 1, 0), actor: MAIN, cwd: "/w" },
  signal: new AbortController().signal,
};
const inside: EnteredWorktree = {
  ...{ type: "entered", path: "/w/.claude/worktrees/one", branch: "worktree-one", isNew: true },
  ...{ cwd: "/w/.claude/worktrees/one/src", notes: ["The submodule lib is not there."] },
};
const outside: LeftWorktree = {
  ...{ type: "left", cwd: "/w/src", branch: "worktree-one", path: "/w/.claude/worktrees/one", removed: null },
};

/** A service that answers so, and what it was asked. */
function tools(answers: { enter?: EnteredWorktree; exit?: LeftWorktree } = {}) {
  const asked: unknown[] = [];
  const service: WorktreeService = {
    async enter(wish, { actor }) {
      asked.push([actor, wish]);
      return answers.enter ?? inside;
    },
    async exit(action, discard) {
      asked.push([action, discard]);
      return answers.exit ?? outside;
    },
  };
  const call = async (name: string, input: unknown) => {
    const ready = worktreeTools(service)
      .find((tool) => tool.name === name)
      ?.prepare(input);
    return ready?.type === "ready" ? ready.call(context) : ready;
  };
  return { asked, call };
}

describe("EnterWorktree (A3.23)", () => {
  test.each([
    [{}, { type: "new", name: null }],
    [{ name: "fix-1.2_a" }, { type: "new", name: "fix-1.2_a" }],
    [{ name: "feat/foo.bar_1" }, { type: "new", name: "feat/foo.bar_1" }],
    [{ name: ".a/-b/..c" }, { type: "new", name: ".a/-b/..c" }],
    [{ name: "x".repeat(64) }, { type: "new", name: "x".repeat(64) }],
    [{ path: "../other tree" }, { type: "existing", path: "../other tree" }],
  ])("%j is a wish for %j", async (input, wish) => {
    const { asked, call } = tools();
    expect(await call("EnterWorktree", input)).toMatchObject({ isError: false });
    expect(asked).toEqual([[MAIN, wish]]);
  });

  test.each([
    [{ name: "" }, "name"],
    [{ name: "a b" }, "name"],
    [{ name: "a//b" }, "name"],
    [{ name: "/a" }, "name"],
    [{ name: "a/" }, "name"],
    [{ name: "../up" }, "name"],
    [{ name: "a/./b" }, "name"],
    [{ name: "a.lock/b" }, "name"],
    [{ name: "a/b.lock" }, "name"],
    [{ name: `${"x".repeat(32)}/${"y".repeat(32)}` }, "at most 64"],
    [{ name: "ä" }, "name"],
    [{ name: "x\n" }, "name"],
    [{ name: "x".repeat(65) }, "at most 64"],
    [{ name: 7 }, "name"],
    [{ path: "" }, "path"],
    [{ name: "a", path: "/w/b" }, "must not be given together with name"],
    [{ branch: "main" }, "branch"],
  ])("%j is rejected before anything is done, and says why (A16.2)", async (input, why) => {
    const { asked, call } = tools();
    expect(await call("EnterWorktree", input)).toEqual({
      type: "invalid",
      message: expect.stringContaining(why),
    });
    expect(asked).toEqual([]);
  });

  test("says where the conversation is now, on which branch, and what is not there (A16.1)", async () => {
    expect(await tools().call("EnterWorktree", {})).toEqual({
      isError: false,
      content: [
        "You are in the new worktree /w/.claude/worktrees/one, on branch worktree-one. The working directory is /w/.claude/worktrees/one/src.",
        "Read and edit files by their paths in it; the user's checkout is out of reach until ExitWorktree.",
        "The submodule lib is not there.",
      ].join("\n"),
    });
  });

  test("a refusal is a failure with its sentence", async () => {
    const { call } = tools({ enter: { type: "refused", reason: "There is a worktree one already." } });
    expect(await call("EnterWorktree", { name: "one" })).toEqual({
      ...{ isError: true, content: "There is a worktree one already." },
    });
  });

  test("runs alone, and not again by itself after a crash", () => {
    const { parallel, repeatable } = bindTool(
      enterWorktreeTool({ enter: async () => inside, exit: async () => outside }),
    );
    expect([parallel, repeatable]).toEqual([false, false]);
  });
});

describe("ExitWorktree (A3.24)", () => {
  test.each([
    [{ action: "keep" }, ["keep", false]],
    [{ action: "remove" }, ["remove", false]],
    [{ action: "remove", discard_changes: true }, ["remove", true]],
  ])("%j is understood", async (input, wish) => {
    const { asked, call } = tools();
    expect(await call("ExitWorktree", input)).toMatchObject({ isError: false });
    expect(asked).toEqual([wish]);
  });

  test.each([
    [{}, "action"],
    [{ action: "delete" }, "action"],
    [{ action: "remove", discard_changes: "yes" }, "discard_changes"],
    [{ action: "keep", force: true }, "force"],
  ])("%j is rejected before anything is done", async (input, why) => {
    const { asked, call } = tools();
    expect(await call("ExitWorktree", input)).toEqual({
      type: "invalid",
      message: expect.stringContaining(why),
    });
    expect(asked).toEqual([]);
  });

  test("says where the conversation is again, and what happened to the worktree (A16.3)", async () => {
    expect(await tools().call("ExitWorktree", { action: "keep" })).toEqual({
      isError: false,
      content: [
        "You have left the worktree; the working directory is /w/src again.",
        "The worktree /w/.claude/worktrees/one is kept as it is, with branch worktree-one; EnterWorktree with its path enters it again.",
      ].join("\n"),
    });
    const { call } = tools({ exit: { ...outside, removed: "one" } });
    expect(await call("ExitWorktree", { action: "remove" })).toMatchObject({
      content: expect.stringContaining(
        "is removed, with branch worktree-one. To restore its contents: troupe worktrees restore one",
      ),
    });
  });

  test("lists what would be lost, bounded, and how to go on (A16.3)", async () => {
    const files = Array.from({ length: 60 }, (_, at) => `f${at}.ts`);
    const answer = await tools({ exit: { type: "unsaved", files } }).call("ExitWorktree", {
      action: "remove",
    });
    const content = answer && "content" in answer ? String(answer.content) : "";
    expect(answer).toMatchObject({ isError: true });
    expect(content).toContain("- f49.ts\n- and 10 more\nTell the user.");
    expect(content).toContain("discard_changes: true");
  });
});
