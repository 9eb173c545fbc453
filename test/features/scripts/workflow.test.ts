// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { journalFile } from "../../../src/journal/paths.ts";
import { readJournal } from "../../../src/journal/reader.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import type { PermissionRequest, UserAnswer, UserHandler } from "../../../src/policy/user-requests.ts";
import { supervised } from "../../support/supervised.ts";

const YES: UserAnswer = { type: "allow", span: "once" };

/** A user who gives these answers, the last one again and again. */
function user(answer: (ask: PermissionRequest) => UserAnswer = () => YES) {
  const asks: PermissionRequest[] = [];
  const person: UserHandler = {
    async ask(ask) {
      if (ask.type !== "permission") return { type: "unavailable", reason: "It is not asked here." };
      asks.push(ask);
      return answer(ask);
    },
  };
  return { asks, person };
}

const textOf = ({ messages }: ModelRequest): string =>
  messages
    .map(({ content }) =>
      typeof content === "string" ? content : content.map((block) => JSON.stringify(block)).join("\n"),
    )
    .join("\n");
const isAgent = ({ actor }: ModelRequest) => actor !== "main";
const promptOf = (request: ModelRequest) => /task \w+/.exec(textOf(request))?.[0] ?? "?";
const field = (request: ModelRequest, name: string) =>
  [...textOf(request).matchAll(new RegExp(`${name}: ([^\\\\\n]+)`, "g"))].at(-1)?.[1] ?? "";
const NOTICE = /<task-notification>(?:(?!task-notification).)*<\/task-notification>/gs;

type Input = Readonly<Record<string, unknown>>;

/** For each input the main conversation calls Workflow, and answers when it was notified; agents answer `did PROMPT`. */
function world({ reply, later, ...options }: Options = {}) {
  let turns = 0;
  const asked: string[] = [];
  const calls: { name: string; input: Input }[] = [];
  const { person, asks } = user();
  const sessions = supervised(
    "worker threads",
    async (request) => {
      if (!isAgent(request) && turns > 0) await later;
      turns += 1;
      const call = isAgent(request) ? undefined : calls.shift();
      if (call) return { calls: [call] };
      if (!isAgent(request)) return { text: "the end" };
      asked.push(promptOf(request));
      return reply?.(request) ?? { text: `did ${promptOf(request)}` };
    },
    { person, ...options },
  );
  const mains = () => sessions.model.requests.filter((request) => !isAgent(request));
  return {
    ...{ ...sessions, asked, asks, calls, mains },
    async workflow(...inputs: readonly Input[]) {
      calls.push(...inputs.map((input) => ({ name: "Workflow", input })));
      await sessions.supervisor.prompt("go");
      return textOf(mains().at(-1) as ModelRequest);
    },
  };
}

type Options = Parameters<typeof supervised>[2] & {
  readonly reply?: (request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>;
  /** The main conversation's second turn waits for it. */
  readonly later?: Promise<void>;
};

const TWO = `export const meta = { name: "two", description: "Both." };
const found = await parallel([() => agent("task a", { label: "first" }), () => agent("task b")]);
log("found", found.length);
return { found };`;

const NONE = { person: undefined } as unknown as Options;

describe("Workflow", () => {
  test("shows its script and what it may cost, runs it in the background, and what it returned is a notice", async () => {
    const { workflow, asks, asked, mains } = world();
    const said = await workflow({ script: TWO, description: "look at both" });
    expect(asks).toHaveLength(1);
    expect(asks[0]).toMatchObject({
      tool: "Workflow",
      title: "two",
      level: "execute",
      description: "look at both",
      // "For this session" would let later scripts start unseen.
      grants: [],
    });
    expect(asks[0]?.details).toEqual([
      { name: "script", value: TWO },
      { name: "description", value: "look at both" },
      { name: "cost", value: expect.stringMatching(/\$[\d.]+ or more: it has 2 calls of agent/) },
    ]);
    expect(asked.toSorted()).toEqual(["task a", "task b"]);
    const started = mains()[1] as ModelRequest;
    expect(field(started, "run_id")).toMatch(/^wf_\w+$/);
    expect(readFileSync(field(started, "script"), "utf8")).toBe(TWO);
    const [notice = ""] = said.match(NOTICE) ?? [];
    expect(notice).toContain(`<task-id>${field(started, "task_id")}</task-id>`);
    expect(notice).toContain("<status>completed</status>");
    expect(notice).toMatch(/Script "two \(wf_\w+\)": It returned \(2 agents\)\./);
    expect(notice).toContain("did task a");
  });

  test("decides what a failed agent means: the session ends as done", async () => {
    const { workflow, supervisor } = world({
      reply: (request) =>
        promptOf(request) === "task b"
          ? { failure: { kind: "auth", message: "no key" } }
          : { text: `did ${promptOf(request)}` },
    });
    await workflow({ script: TWO });
    await supervisor.close();
    const journal = await readJournal(journalFile(supervisor.folder));
    const records = journal.type === "read" ? journal.records : [];
    expect(records.some(({ event }) => event.type === "summary" && event.summary.status === "failed")).toBe(
      true,
    );
    expect(records.at(-1)?.event).toMatchObject({ type: "end", status: "done", agents: 2 });
  });

  test("starts nothing if the user says no, or if no user can be asked and no rule allows it", async () => {
    const no = user(() => ({ type: "deny", span: "once", message: "too dear" }));
    const denied = world({ person: no.person });
    expect(await denied.workflow({ script: TWO })).toContain("too dear");
    const alone = world(NONE);
    await alone.workflow({ script: TWO });
    expect([...denied.asked, ...alone.asked]).toEqual([]);
    for (const options of [
      { permissionMode: "bypassPermissions" },
      { allowedTools: ["Workflow"] },
    ] as const) {
      const allowed = world({ ...NONE, ...options });
      await allowed.workflow({ script: TWO });
      expect(allowed.asked.toSorted()).toEqual(["task a", "task b"]);
    }
  });

  test("is the main conversation's alone", async () => {
    const { workflow, model } = world();
    await workflow({ script: 'return agent("task a");' });
    const names = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
    expect(names(model.requests[0])).toContain("Workflow");
    expect(names(model.requests.find(isAgent))).not.toContain("Workflow");
  });

  test("finds a script by its name; a path wins over both, and its arguments are any JSON", async () => {
    const files = {
      ".claude/workflows/audit.ts": 'const what: string = args[0]; return agent("task " + what);',
      "mine.js": 'return agent("task mine");',
    };
    const { workflow, asks, asked } = world({ files });
    await workflow(
      { name: "audit", args: ["named"] },
      { name: "audit", script: 'return agent("task script");', scriptPath: "mine.js" },
    );
    expect(asked.toSorted()).toEqual(["task mine", "task named"]);
    expect(asks.map(({ details }) => details.find(({ name }) => /^script .*\//.test(name))?.value)).toEqual([
      files[".claude/workflows/audit.ts"],
      files["mine.js"],
    ]);
  });

  test("does not start a file that was changed after the user had seen it", async () => {
    const changing = user(() => {
      writeFileSync(join(cwd, "mine.js"), 'return agent("task other");');
      return YES;
    });
    const files = { "mine.js": 'return agent("task mine");' };
    const { workflow, asked, cwd } = world({ files, person: changing.person });
    expect(await workflow({ scriptPath: "mine.js" })).toMatch(/Nothing was started. .*mine\.js was changed/);
    expect(asked).toEqual([]);
  });

  test("does not show or run a file that a rule denies reading", async () => {
    const files = { "mine.js": 'return agent("task mine");' };
    const { workflow, asks, asked } = world({ files, disallowedTools: ["Read(mine.js)"] });
    expect(await workflow({ scriptPath: "mine.js" })).toMatch(/A rule denies reading .*mine\.js/);
    expect(JSON.stringify(asks)).not.toContain("task mine");
    expect(asked).toEqual([]);
  });

  test.each([
    ["nothing to run", {}, /Give one of script, name and scriptPath/],
    ["an empty script", { script: "  " }, /The script is empty/],
    ["a name without a script", { name: "none" }, /There is no script none\.ts or none\.js/],
    ["a path as a name", { name: "../x" }, /There is no script/],
    ["a missing file", { scriptPath: "none.js" }, /There is no script .*none\.js/],
    [
      "a run that there is not",
      { resumeFromRunId: "wf_none" },
      /There is no run .*wf_none.* No script has run/,
    ],
    ["a run outside the session", { resumeFromRunId: "../../x" }, /There is no run/],
    ["a text that is too long", { script: "x".repeat(524_289) }, /at most 524288 characters/],
    ["a field that does not exist", { scirpt: "return 1" }, /has no field .*scirpt/],
  ])("with %s says what to do", async (_, input, reason) => {
    const { workflow, asked } = world();
    expect(await workflow(input)).toMatch(reason);
    expect(asked).toEqual([]);
  });

  test("resumes a run by its file as that is now: finished calls are not made again; another run makes its own", async () => {
    const { workflow, asked, mains } = world();
    const script = 'return [await agent("task a"), await agent("task b")];';
    await workflow({ script });
    const started = mains()[1] as ModelRequest;
    writeFileSync(field(started, "script"), script.replace("task b", "task c"));
    await workflow({ resumeFromRunId: field(started, "run_id") });
    expect(asked).toEqual(["task a", "task b", "task c"]);
    await workflow({ script });
    expect(asked).toEqual(["task a", "task b", "task c", "task a", "task b"]);
  });

  test("can be looked at and stopped while it runs, and one run does not run twice", async () => {
    const begun = Promise.withResolvers<void>();
    const { workflow, supervisor, mains, calls } = world({
      later: begun.promise,
      reply() {
        begun.resolve();
        return new Promise<never>(() => {});
      },
    });
    const task = () => field(mains()[1] as ModelRequest, "task_id");
    const add = (name: string, more: () => Input) =>
      calls.push({
        name,
        get input() {
          return more();
        },
      });
    calls.push({ name: "Workflow", input: { script: 'log("begun"); return agent("task a");' } });
    add("Workflow", () => ({ resumeFromRunId: field(mains()[1] as ModelRequest, "run_id") }));
    add("TaskOutput", () => ({ task_id: task(), block: false }));
    add("Monitor", () => ({ task_id: task() }));
    add("TaskStop", () => ({ task_id: task() }));
    const said = await workflow();
    expect(said).toMatch(/The run wf_\w+ is not over: it is the task b\w+/);
    expect(said).toMatch(/\[Script b\w+: script\.js .*status: running/);
    expect(said).toMatch(/is a script: its lines come at its end/);
    expect(said).toMatch(/status: killed\. It was stopped/);
    expect(supervisor.tree().map(({ state, summary }) => [state, summary?.status])).toEqual([
      ["ended", "done"],
      ["ended", "cancelled"],
    ]);
  });

  test("a script that fails says where, how to resume it, and its prints hold no secrets", async () => {
    const key = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const { workflow } = world();
    const said = await workflow({ script: `log("the key", "${key}");\nnull.x;` });
    const [notice = ""] = said.match(NOTICE) ?? [];
    expect(notice).toContain("<status>failed</status>");
    expect(notice).toMatch(
      /It failed: script\.js, line 2: TypeError.*Call Workflow with resumeFromRunId .*wf_\w+/,
    );
    const output = readFileSync(/<output-file>([^<]+)</.exec(notice)?.[1] ?? "", "utf8");
    expect(output).toMatch(/^the key \[redacted/);
    expect(output).not.toContain(key);
  });
});
