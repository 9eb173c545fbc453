import { expect, test } from "vitest";
import { Gate } from "../../../src/features/gate/gate.ts";
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import type { JudgeContext, Judgement } from "../../../src/policy/judgement.ts";
import {
  defaultSandboxSettings,
  type Prepared,
  type SandboxReport,
} from "../../../src/policy/sandbox/sandbox.ts";
import { noSession, sessionTools } from "../../../src/tools/session-tools.ts";
import { Toolbox } from "../../../src/tools/toolbox.ts";

const PREPARED: Prepared = {
  confined: { type: "read", builder: "/bin/false", state: "/", seen: [] },
  env: {},
  finish: async () => null,
};
const scope = { root: "/work", additionalDirs: [], tree: null };

/** A gate whose rules allow a command if it is enforced, and say which confinement that needs. */
function gateWith({
  confined = "read",
  prepared = PREPARED,
  report = null,
  foreign = null,
  alone = "ask",
  hides = () => false,
}: {
  readonly confined?: "read" | "write";
  readonly prepared?: Prepared | null;
  readonly report?: SandboxReport | null;
  readonly foreign?: string | null;
  readonly alone?: "ask" | "allow";
  readonly hides?: (path: string) => boolean;
} = {}) {
  const contexts: (JudgeContext | undefined)[] = [];
  const wanted: string[] = [];
  const judgement = (enforced: boolean): Judgement => ({
    ...(enforced ? { decision: "allow", tier: "enforced" } : { decision: alone }),
    ...(enforced || alone === "allow" ? { confined } : {}),
    ...{ reason: "it reads", parts: [], grants: [] },
  });
  const toolbox = new Toolbox(() => false);
  toolbox.fill({ ours: sessionTools(noSession), custom: [] });
  const gate = new Gate({
    mode: () => "default",
    planFile: () => "/plans/plan-1.md",
    engine: () => ({
      judge(_mode, _cwd, _tool, _input, context) {
        contexts.push(context);
        return judgement(context?.enforced === true);
      },
      hides: () => hides,
    }),
    confinement: { refuses: () => null },
    hooks: {
      has: () => false,
      preToolUse: async () => ({ type: "go" }),
      permissionRequest: async () => ({ type: "none" }),
    },
    asks: { permission: async () => ({ type: "deny", by: "nobody", reason: "There is no user." }) },
    asksEveryCommand: false,
    canGrant: () => true,
    deniesAny: () => false,
    denied: () => null,
    rules: () => [],
    lookUpTracked: async () => () => "no",
    toolbox,
    sandbox: {
      settings: { ...defaultSandboxSettings, mode: report === null ? "off" : "on" },
      report: async () => report,
      prepare: async (type) => {
        wanted.push(type);
        return prepared;
      },
    },
    foreignGit: () => foreign,
    caller: (actor, cwd) => ({ actor, type: "main", cwd, mode: "default" }) as never,
  });
  const judge = (command: string) => {
    const tool = toolbox.find("Bash");
    if (tool === undefined) throw new Error("there is no Bash");
    const call = { id: callId(MAIN, 1, 0), toolUse: "t", tool: "Bash", input: { command } };
    return gate.judge({ actor: MAIN, call, tool, cwd: "/work", scope }, new AbortController().signal);
  };
  return { gate, judge, contexts, wanted };
}

const ENFORCED: SandboxReport = { state: "enforced", reason: "" };

test("lets a command go in the confinement that was prepared for it, and says that it rests on that", async () => {
  const { judge, contexts } = gateWith();
  const judged = await judge("jq .x f");
  expect(judged).toMatchObject({ type: "go", tier: "enforced", light: PREPARED });
  expect(contexts.map((context) => [context?.enforced, context?.everTracked?.("x")])).toEqual([[true, "no"]]);
});

test("judges without the confinement if it cannot be prepared", async () => {
  const { judge, contexts } = gateWith({ prepared: null });
  expect(await judge("jq .x f")).toMatchObject({ type: "refuse", by: "nobody" });
  expect(contexts.map((context) => context?.enforced ?? false)).toEqual([true, false]);
});

test("runs as the user what the reading alone allows, if there is no confinement", async () => {
  const judged = await gateWith({ prepared: null, alone: "allow" }).judge("ls");
  expect(judged).toMatchObject({ type: "go" });
  expect(judged).not.toHaveProperty("light");
});

test("has the full sandbox hold what writes, and the confinement what reads", async () => {
  const writing = gateWith({ confined: "write", report: ENFORCED });
  expect(await writing.judge("mkdir x")).not.toHaveProperty("light");
  expect(writing.wanted).toEqual([]);
  expect(await gateWith({ report: ENFORCED }).judge("ls")).toMatchObject({ light: PREPARED });
  expect(await gateWith({ confined: "write" }).judge("mkdir x")).toMatchObject({ light: PREPARED });
});

test("asks about git in a repository whose configuration no one agreed to, confined or not", async () => {
  const judged = await gateWith({ foreign: "git would run ./x" }).judge("git status");
  expect(judged).toMatchObject({ type: "refuse", asked: "git would run ./x" });
});

test("knows a confined command when it is checked again", () => {
  const { gate } = gateWith();
  const call = { tool: "Bash", input: { command: "jq" }, cwd: "/work", scope };
  expect(gate.recheck(call, true)).toEqual({ type: "allow" });
  expect(gate.recheck(call)).toEqual({ type: "ask" });
});

test("hides a search result that the rules cannot be applied to (S12)", () => {
  const { gate } = gateWith({
    hides(path) {
      if (path === "/work/odd") throw new Error("the engine is broken");
      return path === "/work/.env";
    },
  });
  const found = ["/work/a", "/work/odd", "/work/.env"];
  expect(gate.filterResults(found, { cwd: "/work", scope })).toEqual(["/work/odd", "/work/.env"]);
});
