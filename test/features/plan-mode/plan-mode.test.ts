import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionAsks } from "../../../src/features/gate/asking.ts";
import { modeFrom } from "../../../src/features/gate/session-rules.ts";
import { planService } from "../../../src/features/plan-mode/index.ts";
import { planFilesIn } from "../../../src/features/plan-mode/plan-files.ts";
import { ActorId, callId, MAIN } from "../../../src/mailbox/ids.ts";
import type { Recheck } from "../../../src/policy/user-request-broker.ts";
import type { PermissionMode } from "../../../src/settings/permissions.ts";
import { MAX_ALLOWED_PROMPTS, MAX_PLAN_CHARS, MAX_PROMPT_CHARS } from "../../../src/tools/plan/plan-mode.ts";
import { planTools } from "../../../src/tools/session-tools.ts";
import { brokerWith, nextCall, Someone, toRun } from "../../policy/asking/someone.ts";
import { definitionOf } from "../../support/definition-of.ts";
import { settled } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const approve = { type: "approve", mode: "acceptEdits" };
const allow = { type: "allow", span: "once" };

/** Both tools over a real broker and real files, in a project with two scripts. */
function planning(
  initial: PermissionMode,
  { headless = false, locked = [] as readonly PermissionMode[] } = {},
) {
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ scripts: { test: "vitest", build: "tsc" } }));
  const modes: PermissionMode[] = [];
  const mode = modeFrom(initial, (wanted) =>
    locked.includes(wanted) ? `Your organisation does not allow ${wanted}.` : null,
  );
  mode.onChange((next) => modes.push(next));
  const person = new Someone();
  const recheck = (): Recheck =>
    mode.current() === "plan" ? { type: "deny", reason: "Plan mode is on." } : { type: "ask" };
  const { broker, told } = brokerWith(headless ? null : person, { recheck });
  const asks = sessionAsks(broker, { find: () => undefined, whileWaiting: (_, other) => other });
  const files = planFilesIn(home, join(home, "projects", "p", "s"));
  const tools = planTools(planService({ mode, asks, files, cwd }));
  const stop = new AbortController();
  const call = async (name: string, input: unknown = {}, actor = MAIN) => {
    const ready = tools.find((tool) => tool.name === name)?.prepare(input);
    if (ready?.type !== "ready") return { content: ready?.message ?? "no such tool", isError: true };
    return ready.call({ call: callId(actor, 1, 0), actor, cwd, signal: stop.signal });
  };
  return { mode, modes, person, broker, told, files, tools, call, stop, cwd };
}

describe("a resumed session", () => {
  const resumable = () => {
    const home = temporaryFolder();
    return () => planFilesIn(home, join(home, "projects", "p", "s"));
  };

  test("leaves an approved plan as it is, and numbers the next one after it (A14.9)", async () => {
    const open = resumable();
    const before = open();
    await before.write("The first plan.");
    before.next();
    const after = open();
    await after.write("The second plan.");
    expect(readdirSync(after.folder)).toEqual(["plan-1.md", "plan-2.md"]);
    expect(readFileSync(join(after.folder, "plan-1.md"), "utf8")).toBe("The first plan.");
  });

  test("continues a plan that was not approved (A14.9)", async () => {
    const open = resumable();
    const before = open();
    await before.write("A plan.");
    expect(await open().read(100)).toBe("A plan.");
  });

  test("changes nothing through a link in the place of a plan (A14.9)", async () => {
    const open = resumable();
    const files = open();
    await files.write("A plan.");
    const target = join(files.folder, "..", "target");
    writeFileSync(target, "", { mode: 0o600 });
    rmSync(files.current);
    symlinkSync(target, files.current);
    files.next();
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });
});

describe("schemas", () => {
  const schema = (name: string) => {
    const { tools } = planning("default");
    const tool = tools.find((one) => one.name === name);
    return JSON.parse(
      JSON.stringify(tool && definitionOf(tool).input_schema, (key, value) =>
        key === "description" ? undefined : value,
      ),
    );
  };

  test("EnterPlanMode's is the seed's (A3.11)", () => {
    expect(schema("EnterPlanMode")).toEqual({ type: "object", properties: {}, required: [] });
  });

  test("ExitPlanMode's is the seed's, and a plan (A3.12)", () => {
    const string = { type: "string" };
    const items = {
      type: "object",
      properties: { tool: { type: "string", enum: ["Bash"] }, prompt: string },
      required: ["tool", "prompt"],
    };
    expect(schema("ExitPlanMode")).toEqual({
      type: "object",
      properties: { allowedPrompts: { type: "array", items }, plan: string },
      required: [],
    });
  });

  test.each([
    [{ allowedPrompts: "run tests" }, "allowedPrompts: expected array"],
    [{ allowedPrompts: [{ prompt: "run tests" }] }, "allowedPrompts.0.tool: must be one of"],
    [{ allowedPrompts: [{ tool: "Edit", prompt: "x" }] }, 'allowedPrompts.0.tool: must be one of "Bash"'],
    [{ allowedPrompts: [{ tool: "Bash" }] }, "allowedPrompts.0.prompt: required"],
    [
      { allowedPrompts: [{ tool: "Bash", prompt: "x".repeat(MAX_PROMPT_CHARS + 1) }] },
      "at most 200 characters",
    ],
    [
      {
        allowedPrompts: Array.from({ length: MAX_ALLOWED_PROMPTS + 1 }, () => ({
          tool: "Bash",
          prompt: "x",
        })),
      },
      "at most 20 entries",
    ],
    [{ plan: 1 }, "plan: expected string"],
  ])("%j is refused before anybody is asked", async (input, words) => {
    const { call, person } = planning("plan");
    expect(await call("ExitPlanMode", input)).toEqual({
      content: expect.stringContaining(words),
      isError: true,
    });
    expect(person.seen).toEqual([]);
  });
});

describe("entering plan mode (A14.9)", () => {
  test("asks the user, and the mode is plan from their yes on", async () => {
    const { call, person, mode } = planning("default");
    const entered = call("EnterPlanMode");
    await settled();
    expect(person.now().ask).toMatchObject({ type: "permission", tool: "EnterPlanMode", grants: [] });
    expect(mode.current()).toBe("default");
    await person.say(allow);
    expect(await entered).toEqual({ content: expect.stringContaining("ExitPlanMode"), isError: false });
    expect(mode.current()).toBe("plan");
  });

  test("what waited behind is looked at in the new mode: no write slips through (A6.7)", async () => {
    const { call, person, broker, stop } = planning("default");
    void call("EnterPlanMode");
    const write = broker.permission(toRun("npm run format", { call: nextCall() }), stop.signal);
    await person.say(allow);
    expect(await write).toMatchObject({ type: "deny", by: "rules", reason: "Plan mode is on." });
    expect(person.seen).toHaveLength(1);
  });

  test.each([
    ["no", { type: "deny", span: "once", message: "Just do it." }, "The user said no: Just do it."],
    ["nothing", { type: "unavailable", reason: "The terminal is gone." }, "The terminal is gone."],
  ])("the user says %s: nothing changes", async (_, answer, words) => {
    const { call, person, modes } = planning("acceptEdits");
    const entered = call("EnterPlanMode");
    await person.say(answer);
    expect(await entered).toEqual({ content: expect.stringContaining(words), isError: true });
    expect(modes).toEqual([]);
  });

  test("does not ask again in plan mode, without a user, or for an agent", async () => {
    const on = planning("plan");
    expect((await on.call("EnterPlanMode")).isError).toBe(false);
    const headless = planning("default", { headless: true });
    expect(await headless.call("EnterPlanMode")).toMatchObject({ isError: true });
    const agents = planning("default");
    expect(await agents.call("EnterPlanMode", {}, ActorId.parse("plan1"))).toEqual({
      content: expect.stringContaining("Only the main conversation"),
      isError: true,
    });
    for (const { person, modes } of [on, headless, agents]) expect([person.seen, modes]).toEqual([[], []]);
  });
});

describe("leaving plan mode (A14.9)", () => {
  test("an approved plan leads into no mode that the organisation locks (A22.1)", async () => {
    const narrow = planning("plan", { locked: ["acceptEdits"] });
    const left = narrow.call("ExitPlanMode", { plan: "# Plan" });
    await shown(narrow.person);
    await narrow.person.say(approve);
    await left;
    expect(narrow.mode.current()).toBe("default");
    const kept = planning("plan", { locked: ["default", "acceptEdits"] });
    expect(await kept.call("ExitPlanMode", { plan: "# Plan" })).toEqual({
      content: expect.stringContaining("Your organisation does not allow default."),
      isError: true,
    });
    expect([kept.mode.current(), kept.person.seen]).toEqual(["plan", []]);
  });

  const prompts = [
    { tool: "Bash", prompt: "run tests" },
    { tool: "Bash", prompt: "deploy to production" },
  ];

  test("the plan is shown with its file and its rules; approved, the mode is the user's and the rules hold", async () => {
    const { call, person, mode, told, files } = planning("plan");
    const left = call("ExitPlanMode", { plan: "# Plan\n1. Do it.", allowedPrompts: prompts });
    await shown(person);
    expect(person.asks[0]).toMatchObject({
      type: "plan",
      plan: "# Plan\n1. Do it.",
      file: files.current,
      allows: [
        { prompt: "run tests", rules: ["Bash(npm test)", "Bash(npm run test)"] },
        { prompt: "deploy to production", rules: [] },
      ],
    });
    expect(readFileSync(files.current, "utf8")).toBe("# Plan\n1. Do it.");
    const file = files.current;
    await person.say(approve);
    const { content, isError } = await left;
    expect(isError).toBe(false);
    expect(content).toContain(file);
    expect(content).toContain('Allowed for the session, "run tests": Bash(npm test), Bash(npm run test).');
    expect(content).toContain('Will still be asked about: "deploy to production".');
    expect(content).not.toContain("# Plan");
    expect(mode.current()).toBe("acceptEdits");
    expect(told.grants).toEqual([["Bash(npm test)", "Bash(npm run test)"]]);
  });

  test("the next plan has a file of its own", async () => {
    const { call, person, mode, files } = planning("plan");
    const first = files.current;
    const left = call("ExitPlanMode", { plan: "one" });
    await shown(person);
    await person.say(approve);
    await left;
    mode.set("plan");
    expect(await call("ExitPlanMode")).toEqual({
      content: expect.stringContaining("no plan yet"),
      isError: true,
    });
    void call("ExitPlanMode", { plan: "two" });
    await shown(person);
    expect(files.current).not.toBe(first);
    expect([readFileSync(first, "utf8"), readFileSync(files.current, "utf8")]).toEqual(["one", "two"]);
  });

  test("refused, the user's text is the result, plan mode stays on and nothing is allowed", async () => {
    const { call, person, modes, told, files } = planning("plan");
    const left = call("ExitPlanMode", { plan: "one", allowedPrompts: prompts });
    await shown(person);
    await person.say({ type: "deny", span: "session", message: "Smaller steps." });
    expect(await left).toEqual({
      content:
        "The plan was not approved, and plan mode stays on. The user said no: Smaller steps. Change the plan as they say and call ExitPlanMode again.",
      isError: true,
    });
    expect([modes, told.grants]).toEqual([[], []]);
    // The same plan once more is a question once more.
    const again = call("ExitPlanMode", { plan: "two" });
    await shown(person);
    await person.say(approve);
    expect((await again).isError).toBe(false);
    expect(readdirSync(files.folder)).toEqual(["plan-1.md"]);
  });

  test.each([
    allow,
    { type: "unavailable", reason: "Gone." },
    { type: "approve", mode: "bypassPermissions" },
  ])("%j approves nothing", async (answer) => {
    const { call, person, modes, told } = planning("plan");
    const left = call("ExitPlanMode", { plan: "one", allowedPrompts: prompts });
    await shown(person);
    await person.say(answer);
    expect((await left).isError).toBe(true);
    expect([modes, told.grants]).toEqual([[], []]);
  });

  test("a plan that is in its file already is taken from there, and told in the result", async () => {
    const { call, person, files } = planning("plan");
    mkdirSync(files.folder, { recursive: true });
    writeFileSync(files.current, "from the file");
    const left = call("ExitPlanMode");
    await shown(person);
    expect(person.asks[0]).toMatchObject({ plan: "from the file" });
    await person.say({ type: "approve", mode: "default" });
    expect((await left).content).toContain("from the file");
  });

  test("an agent, such as Plan, does not leave plan mode (A6.7)", async () => {
    const { call, person } = planning("plan");
    expect(await call("ExitPlanMode", { plan: "x" }, ActorId.parse("plan1"))).toEqual({
      content: expect.stringContaining("Return your plan as your report"),
      isError: true,
    });
    expect(person.seen).toEqual([]);
  });

  test("keeps the plan and plan mode without a user", async () => {
    const { call, files, mode } = planning("plan", { headless: true });
    const { content, isError } = await call("ExitPlanMode", { plan: "one" });
    expect([isError, mode.current()]).toEqual([true, "plan"]);
    expect(content).toContain("Give the plan in your reply");
    expect(readFileSync(files.current, "utf8")).toBe("one");
  });

  test.each([
    ["there is none", undefined, "There is no plan yet"],
    ["it is blank", " \n", "The plan is empty"],
    ["it is too long", "x".repeat(MAX_PLAN_CHARS + 1), `at most ${MAX_PLAN_CHARS}`],
  ])("no plan is shown where %s", async (_, plan, words) => {
    const { call, person } = planning("plan");
    const input = plan === undefined ? {} : { plan };
    expect(await call("ExitPlanMode", input)).toEqual({
      content: expect.stringContaining(words),
      isError: true,
    });
    expect(person.seen).toEqual([]);
  });

  test("outside plan mode there is nothing to leave", async () => {
    const { call } = planning("default");
    expect(await call("ExitPlanMode", { plan: "x" })).toMatchObject({ isError: true });
  });

  test("an agent that is stopped while its plan is shown waits no longer", async () => {
    const { call, person, stop, modes } = planning("plan");
    const left = call("ExitPlanMode", { plan: "x" });
    await shown(person);
    stop.abort();
    expect((await left).isError).toBe(true);
    expect(modes).toEqual([]);
  });
});

describe("the plan's file", () => {
  const made = () => {
    const home = temporaryFolder();
    return planFilesIn(home, join(home, "projects", "p", "s"));
  };

  test("is private, whole, and what JSON could not hold is made valid", async () => {
    const files = made();
    expect(await files.read(100)).toBeNull();
    await files.write("one");
    await files.write("two");
    expect(await files.read(100)).toBe("two");
    expect(await files.read(2)).toBe("tw");
    expect(readdirSync(files.folder)).toEqual(["plan-1.md"]);
    expect(statSync(files.current).mode & 0o777).toBe(0o600);
    expect(statSync(files.folder).mode & 0o777).toBe(0o700);
  });

  test("replaces a link and does not follow it, and is not read through one", async () => {
    const files = made();
    await files.write("one");
    const target = join(dirname(files.folder), "elsewhere");
    writeFileSync(target, "private");
    rmSync(files.current);
    symlinkSync(target, files.current);
    await expect(files.read(100)).rejects.toThrow("ELOOP");
    await files.write("two");
    expect([readFileSync(target, "utf8"), readFileSync(files.current, "utf8")]).toEqual(["private", "two"]);
  });

  test("is reported if it cannot be written, without a question", async () => {
    const { call, person, files } = planning("plan");
    mkdirSync(dirname(files.folder), { recursive: true });
    writeFileSync(files.folder, "a file in its place");
    chmodSync(files.folder, 0o600);
    expect(await call("ExitPlanMode", { plan: "x" })).toEqual({
      content: expect.stringContaining("The plan could not be saved"),
      isError: true,
    });
    expect(person.seen).toEqual([]);
  });
});

/** Files are read and written before the plan is shown, which takes as long as it takes. */
async function shown(person: Someone): Promise<void> {
  while (person.open.size === 0) await settled();
}
