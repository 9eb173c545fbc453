import { expect, test } from "vitest";
import { planLines } from "../../src/cli/script-session.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { Status } from "../../src/mailbox/messages.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import { agentView } from "../support/agent-view.ts";
import { supervised } from "../support/supervised.ts";

let made = 0;
const view = (description: string, key: string | null, status: Status | null, costUsd = 0.1) => {
  made += 1;
  return agentView({
    ...{
      id: ActorId.parse(`agent${made}`),
      description,
      costUsd,
      state: status === null ? "running" : "ended",
    },
    ...(key === null ? {} : { key, answersKey: status === "done" }),
    summary: status === null ? null : { status, text: "", turns: 1, usage: noUsage, receipts: noReceipts },
  });
};

test("lists the calls that are reused, continue and run again, with their likely cost", () => {
  const reused = view("look", "aa.1", "done");
  const tree = [
    reused,
    // What it started itself counts as its cost, and is no call of the script.
    { ...view("below", null, "done", 0.3), parent: reused.id },
    view("other", null, "done", 5),
    view("check", "bb.1", "failed"),
    view("check", "bb.1", "done", 0.2),
    view("write", "cc.1", null),
    view("test", "dd.1", "failed"),
    view("sum up", "ee.1", "done"),
  ];
  expect(planLines(tree, ["sum up"])).toEqual([
    "Reused, and not paid again ($0.70 spent): look, check.",
    "Continue from their last turn: write.",
    "Run again, if the script still makes them: test (failed), sum up (--force).",
    "3 calls of these run, likely for $1.05; calls that are new come in addition.",
  ]);
});

test("counts a forced call as it was since then, and says nothing of a session without calls", () => {
  const tree = [view("look", "aa.1", "done"), view("look", "aa.1.1", "done")];
  expect(planLines(tree, [])).toEqual([
    "Reused, and not paid again ($0.10 spent): look.",
    "Only calls that are new cost anything.",
  ]);
  expect(planLines([view("other", null, "done")], [])).toEqual([]);
});

test("names as reused the calls that the next run reuses, and as run again those that it makes", async () => {
  const asked: string[] = [];
  const { supervisor } = supervised("in-thread", ({ messages }) => {
    asked.push(/task \w+/.exec(JSON.stringify(messages))?.[0] ?? "?");
    return { text: "part of it", stopReason: "incomplete" };
  });
  const script = {
    name: "w.js",
    source: `
      await agent("task data", { label: "data", schema: { type: "object" } });
      await agent("task text", { label: "text" });
      return agent("task words without a label");`,
  };
  await supervisor.runScript(script);
  const force = ["task words without a label"];
  expect(planLines(supervisor.tree(), force).slice(0, 2)).toEqual([
    "Reused, and not paid again: text.",
    "Run again, if the script still makes them: data (partial), task words without a label (--force).",
  ]);
  asked.length = 0;
  await supervisor.runScript({ ...script, force });
  expect([...new Set(asked)]).toEqual(["task data", "task words"]);
  await supervisor.close();
});

test("leaves out the calls of scripts that a model has started in this session", () => {
  const tree = [view("other", "wf_abcd.aa.1", "done"), view("look", "aa.1", "done")];
  expect(planLines(tree, [])).toEqual([
    "Reused, and not paid again ($0.10 spent): look.",
    "Only calls that are new cost anything.",
  ]);
});
