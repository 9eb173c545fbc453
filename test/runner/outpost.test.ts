// @module-tag long
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeforeCall } from "../../src/mailbox/calls.ts";
import type { RunnerRules } from "../../src/mailbox/runners.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import type { OfferedAgent } from "../support/fake-session.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { openGround, quick } from "./ground.ts";

type Call = { readonly name: string; readonly input: unknown };
type Rule = RunnerRules["rules"][number];

const usage = { input_tokens: 1, output_tokens: 1 };
const rule = (behaviour: Rule["behaviour"], text: string): Rule => ({ text, behaviour, scope: "user" });
const bash = (command: string, more = {}): Call => ({
  name: "Bash",
  input: { command, description: "look", ...more },
});

interface Tried {
  readonly rules?: Rule[];
  readonly mode?: RunnerRules["mode"];
  /** What the session answers. */
  readonly own?: object;
  readonly runner?: Parameters<typeof openGround>[1];
}

/** Runs one call of an agent; the session itself would allow everything. */
async function tried(
  made: (dir: string) => Call,
  { rules = [], mode = "default", own = {}, runner = {} }: Tried = {},
) {
  const ground = await openGround(
    (_, n): ScriptedTurn => (n === 0 ? { calls: [made(ground.dir)], usage } : { text: "done", usage }),
    runner,
  );
  const agent = await ground.session.offer(ground.spec(), { rules: { mode, rules } }, own);
  await agent.exited;
  return { ...ground, ...seen(agent) };
}

/** What the session was asked, and the result that the model got. */
function seen({ log }: OfferedAgent) {
  const before = log.find(([method]) => method === "before")?.[1] as BeforeCall | undefined;
  const turn = log.find(([method]) => method === "turn")?.[1];
  return { before, result: JSON.stringify(turn), log };
}

it("gives commands the ID of the session", async () => {
  const { result, session } = await tried(() => bash(`echo "[$CLAUDE_CODE_SESSION_ID]"`), {
    rules: [rule("allow", "Bash")],
  });
  expect(result).toContain(`[${session.id}]`);
});

describe("what a runner does not allow by itself", () => {
  it.each<[string, (dir: string, outside: string) => Call, string]>([
    [
      "reading through a link that leaves the directory",
      (dir) => ({ name: "Read", input: { file_path: join(dir, "link") } }),
      "outside",
    ],
    [
      "writing through a link that leaves the directory",
      (dir) => ({ name: "Write", input: { file_path: join(dir, "link"), content: "x" } }),
      "outside",
    ],
    [
      "a path of the runner's machine",
      (_, outside) => ({ name: "Read", input: { file_path: join(outside, "secret") } }),
      "outside",
    ],
    ["the runner's home", () => bash("cat ~/.profile"), "outside"],
    ["git in another repository", () => bash("git -C bare.git status"), "of its own"],
    ["git that would run a program", () => bash("git status"), "let git run"],
    ["a command that no rule allows", () => bash("curl -s http://localhost:9"), ""],
  ])("is %s: the session must ask the user", async (_, made, why) => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, "secret"), "hunter2\n");
    const { before, result } = await tried(
      (dir) => {
        symlinkSync(join(outside, "secret"), join(dir, "link"));
        execFileSync("git", ["init", "-q", "--bare", join(dir, "bare.git")]);
        execFileSync("git", ["init", "-q", dir]);
        execFileSync("git", ["-C", dir, "config", "core.fsmonitor", "./run-me"]);
        return made(dir, outside);
      },
      { mode: "acceptEdits", own: { before: () => ({ type: "refuse", reason: "The user said no." }) } },
    );
    expect(before?.mustAsk?.reason).toContain(why);
    expect(result).toContain("The user said no.");
    expect(result).not.toContain("hunter2");
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("hunter2\n");
  });

  it.each<[string, Rule, (dir: string) => Call]>([
    ["a rule", rule("deny", "Bash(touch:*)"), () => bash("touch x")],
    ["a rule about the home", rule("deny", "Read(~/**)"), () => bash(`cat ${homedir()}/.profile`)],
    [
      "a rule about what a link leads to",
      rule("deny", "Read(secrets/**)"),
      (dir) => {
        mkdirSync(join(dir, "secrets"));
        writeFileSync(join(dir, "secrets/key"), "hunter2");
        symlinkSync(join(dir, "secrets/key"), join(dir, "open"));
        return { name: "Read", input: { file_path: join(dir, "open") } };
      },
    ],
  ])("is refused by %s without asking the session", async (_, denied, made) => {
    const { before, result } = await tried(made, { rules: [denied, rule("allow", "Bash")] });
    expect(before).toBeUndefined();
    expect(result).toContain("was not allowed");
    expect(result).not.toContain("hunter2");
  });

  it("is in no search result", async () => {
    const { result, log } = await tried(
      (dir) => {
        mkdirSync(join(dir, "secrets"));
        writeFileSync(join(dir, "secrets/key"), "hunter2");
        writeFileSync(join(dir, "plain"), "hunter2");
        return { name: "Grep", input: { pattern: "hunter2" } };
      },
      { rules: [rule("deny", "Read(secrets/**)")] },
    );
    expect(result).toContain("plain");
    expect(result).not.toContain("secrets/key");
    expect(log.map(([method]) => method)).not.toContain("hidden");
  });

  it("is what the user has forbidden since then", async () => {
    const { session, spec } = await openGround(
      (_, n): ScriptedTurn => (n < 2 ? { calls: [bash("touch x")], usage } : { text: "done", usage }),
    );
    const agent = await session.offer(
      spec(),
      { rules: { mode: "default", rules: [rule("allow", "Bash")] } },
      {
        turn() {
          agent.notify("rules", { mode: "default", rules: [rule("deny", "Bash(touch:*)")] });
          return { steer: [] };
        },
      },
    );
    await agent.exited;
    expect(agent.log.filter(([method]) => method === "before")).toHaveLength(1);
  });

  it("is evaluated again if the session changed the input", async () => {
    const { result, log } = await tried(() => bash("echo fine"), {
      rules: [rule("deny", "Bash(touch:*)"), rule("allow", "Bash")],
      own: { before: () => ({ type: "go", input: { command: "touch x", description: "look" } }) },
    });
    expect(result).toContain("was not allowed");
    // The session has begun this call, so it hears of its end.
    expect(log.find(([method]) => method === "after")?.[1]).toMatchObject({ after: { isError: true } });
  });
});

it("what a session could not take is sent again: the end of a call, with its edits", async () => {
  let refused = 0;
  const { log } = await tried(() => bash("touch x"), {
    rules: [rule("allow", "Bash")],
    own: {
      after() {
        refused += 1;
        if (refused < 3) throw new Error("git is busy");
        return {};
      },
    },
  });
  expect(log.filter(([method]) => method === "after")).toHaveLength(3);
  expect(log.filter(([method]) => method === "finish")).toHaveLength(1);
});

describe("the key of a model", () => {
  it("is not in an agent's process, nor in the environment of its commands", async () => {
    process.env["ANTHROPIC_API_KEY"] = "sk-secret";
    const { pids, dir, session, spec } = await openGround((_, n) =>
      n === 0 ? { calls: [bash("env > env.txt")], usage } : { text: "done", usage },
    );
    delete process.env["ANTHROPIC_API_KEY"];
    let environment: string[] = [];
    const agent = await session.offer(
      spec(),
      { rules: { mode: "default", rules: [rule("allow", "Bash")] } },
      {
        before() {
          environment = readFileSync(`/proc/${pids[0]}/environ`, "utf8").split("\0").filter(Boolean);
          return { type: "go" };
        },
      },
    );
    await agent.exited;
    const names = environment.map((line) => line.split("=")[0]).sort();
    const ours = ["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "NODE_COMPILE_CACHE"];
    expect(names.filter((name) => !ours.includes(name ?? ""))).toEqual(
      ["HOME", "LANG", "PATH"].filter((name) => process.env[name] !== undefined),
    );
    expect(readFileSync(join(dir, "env.txt"), "utf8")).not.toContain("sk-secret");
  });

  it("cannot be read from the runner's process in its sandbox; without one no command runs", async () => {
    const command = `cat /proc/${process.pid}/environ`;
    const { result } = await tried(() => bash(command), {
      rules: [rule("allow", "Bash")],
      runner: { sandbox: { mode: "required" } },
    });
    expect(result).toMatch(/environ|sandbox/);
    expect(result).not.toContain("PATH=");
  });
});

describe("background commands of a runner", () => {
  it("are watched there; their agent hears of their end before its own", async () => {
    const { session, spec, model, dir } = await openGround((request, n): ScriptedTurn => {
      const id = /\bb[a-z0-9]{8}\b/.exec(JSON.stringify(request.messages))?.[0] ?? "";
      const wait = "until [ -e go ]; do sleep 0.05; done; echo built";
      const turns: ScriptedTurn[] = [
        { calls: [bash(wait, { run_in_background: true })], usage },
        { calls: [{ name: "TaskOutput", input: { task_id: id, block: false } }], usage },
        { text: "I wait for it.", usage },
      ];
      return turns[n] ?? { text: "It is built.", usage };
    });
    const agent = await session.offer(
      withTasks(spec()),
      { rules: { mode: "default", rules: [rule("allow", "Bash")] } },
      {
        turn({ turn }) {
          // Its answer is a turn like any other: the command still runs.
          if (turn.turn === 3) writeFileSync(join(dir, "go"), "");
          return { steer: [] };
        },
      },
    );
    expect(await agent.exited).toEqual({ type: "returned" });
    expect(agent.log.filter(([method]) => method === "callTool")).toEqual([]);
    const last = JSON.stringify(model.requests.at(-1)?.messages);
    expect(last).toContain("built");
    expect(last).toContain("SYSTEM NOTIFICATION");
    expect(agent.log.at(-1)).toMatchObject(["finish", { finish: { summary: { text: "It is built." } } }]);
  });
});

describe("an engine that loses, repeats and reorders", () => {
  it("changes nothing of an agent's run", async () => {
    const faults = { drop: 0.2, duplicate: 0.2, reorder: 0.2 };
    const { session, spec, dir } = await openGround(
      (_, n): ScriptedTurn =>
        n < 5 ? { calls: [bash(`echo ${n} >> steps`)], usage } : { text: "done", usage },
      { faults, clock: quick },
    );
    const agent = await session.offer(spec(), { rules: { mode: "default", rules: [rule("allow", "Bash")] } });
    expect(await agent.exited).toEqual({ type: "returned" });
    expect(readFileSync(join(dir, "steps"), "utf8")).toBe("0\n1\n2\n3\n4\n");
    const turns = agent.log.flatMap(([method]) => (method === "turn" ? [method] : []));
    expect(turns).toHaveLength(5);
  });
});

function withTasks<T extends { readonly tools: readonly { readonly name: string }[] }>(spec: T): T {
  const [first] = spec.tools;
  const task = { ...first, name: "TaskOutput", side: "supervisor", aliases: [], parallel: true };
  return { ...spec, tools: [...spec.tools, task] };
}
