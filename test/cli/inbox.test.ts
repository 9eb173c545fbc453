// @module-tag long
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inboxUser } from "../../src/cli/inbox/inbox-user.ts";
import { inboxText } from "../../src/cli/inbox/text.ts";
import { main } from "../../src/cli/main.ts";
import { runSlashCommand } from "../../src/cli/repl/slash-commands.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { SessionId } from "../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import type { Script, ScriptedTurn } from "../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../src/session/options.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { type Supervised, supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { textsOf } from "../support/texts-of.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";
import { slashContext } from "./repl/slash-ground.ts";

const HOST = "in-thread";

/** A session whose user is elsewhere, and that user's terminal. */
function session(script: Script, options: Partial<SupervisorOptions> = {}) {
  const made = supervised(HOST, script, { person: inboxUser, ...options });
  const { clock = systemClock } = options;
  const open = () => Object.assign(new FakeIO({ env: { TROUPE_HOME: made.home }, cwd: made.cwd }), { clock });
  const run = async (...argv: string[]) => {
    const io = open();
    return { code: await main(argv, io, new FakeRuntime()), out: io.out.text, err: io.err.text };
  };
  const inbox = async () =>
    (await run("inbox", "--json")).out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { readonly id: string; readonly since: string });
  const state = async () => JSON.parse((await run("sessions", "list", "--json")).out)[0];
  return { ...made, run, inbox, state, open };
}

const reported = ({ events }: Supervised) =>
  events.filter(({ type }) => type === "asked" || type === "settled");
const calls = (name: string, input: unknown): ScriptedTurn => ({ calls: [{ name, input }] });
const rootOf = ({ system }: ModelRequest) => /Working directory: (.+)/.exec(system.join("\n"))?.[1] ?? "";
const question = (text: string) => ({
  question: text,
  header: "Which",
  multiSelect: false,
  options: [
    { label: "Left", description: "That way" },
    { label: "Right", description: "This way" },
  ],
});

test("what was cut off is continued by the command that ran it", () => {
  const folder = temporaryFolder();
  const place = { home: folder, folder, cwd: "/w", id: "3fk2" as SessionId };
  const times = { startedAt: "", changedAt: "", endedAt: null, status: null };
  const session = {
    ...{ ...place, ...times, title: "", model: "m", state: "interrupted" as const },
    ...{ agents: null, costUsd: null, bytes: 0 },
  } as const;
  const entry = { id: "3fk2", session, since: "2026-01-01", what: { type: "cut-off", agents: 1 } } as const;
  const lines = () =>
    inboxText([entry], 0, { command: "troupe inbox", here: "/w", paint: (_, text) => text }).split("\n");
  expect(lines()).toContain("  troupe --resume 3fk2");
  writeFileSync(join(folder, "script.json"), "{}");
  expect(lines()).toContain("  troupe run --resume 3fk2");
});

describe("what waits for the user is listed by troupe inbox and reported to programs (issue 19, 6)", () => {
  test.each([
    ["permission", calls("Write", { file_path: "/w/new.txt", content: "x" }), "n use pnpm", { type: "deny" }],
    [
      "question",
      calls("AskUserQuestion", { questions: [question("Which way?")] }),
      "2",
      { type: "answers", answers: { "Which way?": "Right" } },
    ],
    ["plan", calls("ExitPlanMode", { plan: "1. Do it." }), "a", { type: "approve", mode: "acceptEdits" }],
  ] as const)(
    "a %s is asked, needs input, and is settled by the answer from elsewhere",
    async (type, call, line, answer) => {
      const one = session((_, n) => (n === 0 ? call : { text: "Done." }), {
        permissionMode: type === "plan" ? "plan" : "default",
      });
      const ended = one.supervisor.prompt("go");
      await expect.poll(one.inbox).toMatchObject([{ type, session: one.supervisor.session }]);
      expect(await one.state()).toMatchObject({ state: "running", activity: "needs-input" });
      expect(reported(one)).toMatchObject([{ type: "asked", id: "ask1", what: { type } }]);
      const [{ id } = { id: "" }] = await one.inbox();
      expect(await one.run("inbox", id, ...line.split(" "))).toMatchObject({ code: 0, err: "Answered.\n" });
      expect((await ended).summary.text).toBe("Done.");
      expect(reported(one)).toMatchObject([{ type: "asked" }, { type: "settled", id: "ask1", answer }]);
      expect(await one.inbox()).toEqual([]);
      expect(await one.state()).toMatchObject({ activity: "open" });
      await one.supervisor.close();
      expect(await one.state()).toMatchObject({ state: "ended", status: "done" });
    },
  );

  test("what is withdrawn is settled without an answer", async () => {
    const one = session([calls("AskUserQuestion", { questions: [question("Which way?")] })]);
    const stop = new AbortController();
    const ended = one.supervisor.prompt("go", stop.signal);
    await expect.poll(() => reported(one)).toHaveLength(1);
    stop.abort();
    await ended;
    expect(reported(one)[1]).toEqual({ type: "settled", id: "ask1", answer: null });
    expect(await one.inbox()).toEqual([]);
  });

  test("a paused model is listed until it answers again", async () => {
    const clock = new FakeClock();
    const failure = {
      kind: "rate_limit",
      message: "The limit is reached.",
      retryAfterMs: 5_400_000,
    } as const;
    const one = session(() => (clock.now() < 5_400_000 ? { failure } : { text: "Done." }), {
      clock,
      limits: { limitPatienceMs: 24 * 3_600_000 },
    });
    const ended = one.supervisor.prompt("go");
    while (reported(one).length === 0) {
      await clock.advance(10);
      await settled();
    }
    expect(reported(one)).toMatchObject([
      { type: "asked", id: "pause1", what: { type: "paused", pause: { reason: failure.message } } },
    ]);
    await expect.poll(one.inbox).toMatchObject([{ type: "paused", pause: { reason: failure.message } }]);
    expect(await one.state()).toMatchObject({ activity: "paused" });
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await clock.advance(5_401_000);
    while (!isOver) await clock.advance(1);
    expect(reported(one)[1]).toEqual({ type: "settled", id: "pause1", answer: null });
    expect(await one.inbox()).toEqual([]);
  });

  test.each(["conflict", "rejected"] as const)(
    "a result that is a %s is listed and reported",
    {
      timeout: 240_000,
      tags: ["long"],
    },
    async (decision) => {
      const repository = await repositoryWith({ "a.txt": "one\ntwo\nthree\n" });
      const one = session(
        (request) => {
          if (textsOf(request).includes("Your edits conflict")) return { text: "I leave it." };
          if (textsOf(request).includes("was created") || textsOf(request).includes("was overwritten")) {
            if (decision === "conflict")
              writeFileSync(join(repository.folder, "a.txt"), "one\nmine\nthree\n");
            return { text: "Changed." };
          }
          const file_path = join(rootOf(request), "a.txt");
          return calls("Write", { file_path, content: "one\nthe agent's\nthree\n" });
        },
        { cwd: repository.folder, permissionMode: "acceptEdits", allowedTools: ["Bash"] },
      );
      const { id, summary } = await one.supervisor.spawn({
        ...{ type: "general-purpose", description: "change it", prompt: "go", isolation: "worktree" },
        ...(decision === "rejected" ? { accept: { run: "grep -q right a.txt" } } : {}),
      });
      expect(summary.worktree?.outcome).toBe(decision === "conflict" ? "conflict" : "kept");
      const what = { type: "result", decision, actor: id, title: "change it" };
      expect(await one.inbox()).toMatchObject([what]);
      expect(reported(one)).toMatchObject([{ type: "asked", id: `result:${id}.1`, what }]);
    },
  );

  test("a spent budget is listed until its agent continues", async () => {
    const one = session((_, n) =>
      n === 0
        ? { ...calls("Glob", { pattern: "*" }), usage: { input_tokens: 90_000 } }
        : { text: "So far.", usage: { input_tokens: 100 } },
    );
    const { id, summary } = await one.supervisor.spawn({
      ...{ type: "general-purpose", description: "look", prompt: "go", tokenBudget: 50_000 },
    });
    expect(summary.status).toBe("over_budget");
    expect(await one.inbox()).toMatchObject([{ type: "result", decision: "over_budget", actor: id }]);
    await one.supervisor.resume(id, "and now?");
    expect(reported(one).slice(0, 2)).toMatchObject([
      { type: "asked", id: `result:${id}.1`, what: { type: "result", decision: "over_budget" } },
      { type: "settled", id: `result:${id}.1`, answer: null },
    ]);
  });
});

describe("/inbox in a conversation (issue 19, 6)", () => {
  test("takes a result off the list that the user dismisses, until its agent has another one", async () => {
    const one = session((_, n) => ({
      ...calls("Glob", { pattern: "*" }),
      usage: { input_tokens: n === 0 ? 90_000 : 100_000 },
    }));
    const { id } = await one.supervisor.spawn({
      ...{ type: "general-purpose", description: "look", prompt: "go", tokenBudget: 50_000 },
    });
    const io = one.open();
    const unread = () => Promise.reject(new Error("No setting is read."));
    const context = slashContext({ io, cwd: io.cwd, root: io.cwd, reader: { read: unread } });
    const entry = `${one.supervisor.session}.${id}`;
    expect(await runSlashCommand("/inbox", context)).toContain(`/inbox ${entry} dismiss`);
    expect(await runSlashCommand("/inbox nonsense dismiss", context)).toContain("can be dismissed");
    expect(await runSlashCommand(`/inbox ${entry.slice(0, -3)} dismiss`, context)).toContain("Dismissed.");
    expect(await one.inbox()).toEqual([]);
    expect(await runSlashCommand(`/inbox ${entry} dismiss`, context)).toContain("can be dismissed");
    await one.supervisor.resume(id, "and now?");
    expect(await one.inbox()).toMatchObject([{ id: entry, decision: "over_budget" }]);
  });

  test("lists what waits in all sessions, the longest wait first, and answers in the forms of the terminal", async () => {
    const asked = [question("Which way?"), question("And then?")];
    const one = session((_, n) =>
      n === 0 ? calls("AskUserQuestion", { questions: asked }) : { text: "Done." },
    );
    const other = session(
      (_, n) => (n === 0 ? calls("Write", { file_path: "/w/new.txt", content: "x" }) : { text: "Done." }),
      { home: one.home },
    );
    const first = one.supervisor.prompt("go");
    await expect.poll(one.inbox).toHaveLength(1);
    const second = other.supervisor.prompt("go");
    await expect.poll(one.inbox).toHaveLength(2);
    const [{ id: questions } = { id: "" }, { id: permission } = { id: "" }] = await one.inbox();
    const io = one.open();
    const unread = () => Promise.reject(new Error("No setting is read."));
    const context = slashContext({ io, cwd: io.cwd, root: io.cwd, reader: { read: unread } });
    const slash = (line: string) => runSlashCommand(line, context);
    const shown = (await slash("/inbox")) ?? "";
    expect(shown).toContain(`/inbox ${questions} ANSWER: one answer for each question`);
    expect(shown.indexOf(questions)).toBeLessThan(shown.indexOf(permission));
    expect(await slash(`/inbox ${permission} perhaps`)).toContain("is no answer to this; y, ");
    expect(await slash(`/inbox ${questions} 2`)).toContain("There are 2 questions");
    expect(await slash(`/inbox ${questions} 2 "straight on"`)).toBe("Answered.");
    expect(await slash(`/inbox ${permission} n use "pnpm" here`)).toBe("Answered.");
    await Promise.all([first, second]);
    expect(reported(one).at(-1)).toMatchObject({
      answer: { answers: { "Which way?": "Right", "And then?": "straight on" } },
    });
    expect(reported(other).at(-1)).toMatchObject({ answer: { message: 'use "pnpm" here' } });
    expect(await slash(`/inbox ${permission} y`)).toContain("waits for no answer");
    expect(await slash("/inbox nonsense y")).toContain("/inbox lists them");
    expect(await slash(`/inbox ${permission}`)).toContain("Give an answer");
    expect(await slash("/inbox")).toBe("Nothing waits for you.");
  });
});
