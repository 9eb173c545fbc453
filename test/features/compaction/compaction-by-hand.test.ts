// @module-tag long
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ActorId } from "../../../src/mailbox/ids.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { startMessagesServer } from "../../support/messages-server.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { isSummaryRequest, tokensIn } from "./compacting-sessions.ts";

const bare = { disallowedTools: ["Agent", "Bash", "Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep"] };
/** What a summary is worth writing for. */
const LONG = " and so on".repeat(200);
const all = (request: unknown) => JSON.stringify(request);

describe.each(everyDayHosts)("/compact, %s", (name) => {
  test("an idle conversation is compacted immediately: one request with the hooks' and the user's text, and no answer", async () => {
    const value = { PreCompact: [{ matcher: "manual", hooks: [{ type: "command", command: "cat" }] }] };
    const { supervisor, model, events } = supervised(
      name,
      (request) =>
        isSummaryRequest(request)
          ? { text: "The notes." }
          : { text: `answer ${request.messages.length}${LONG}` },
      { ...bare, hooks: [{ scope: "user", file: "/u/settings.json", value }] },
    );
    for (const prompt of ["first", "second", "third", "fourth"]) await supervisor.prompt(prompt);
    const done = await supervisor.compact(MAIN, "the melons");
    expect(done).toMatchObject({ type: "compacted" });
    expect(model.requests).toHaveLength(5);
    expect(events.filter(({ type }) => type === "compacted")).toMatchObject([
      { actor: MAIN, trigger: "manual" },
    ]);
    const [asked] = model.requests.slice(-1);
    for (const part of ["the melons", "PreCompact", '"trigger":"manual"'])
      expect(all(asked).replaceAll("\\", "")).toContain(part);
    expect(all(asked)).toContain("The user wants this conversation to be compacted.");
    expect(all(asked)).not.toContain("nearly full");
    expect(
      events.filter(({ type }) => type === "woken" || type === "answered" || type === "warning"),
    ).toEqual([]);
    const { summary } = await supervisor.prompt("fifth");
    expect(summary).toMatchObject({ status: "done" });
    const last = model.requests.at(-1);
    const roles = last?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant", "user"]);
    for (const part of ["first", "The notes.", "third", "fourth", "fifth"])
      expect(all(last?.messages)).toContain(part);
    expect(all(last?.messages)).not.toContain("answer 1");
    expect(all(last?.messages)).toContain("The user had the conversation up to here compacted.");
    expect(all(last?.messages)).not.toContain("did not fit");
  });

  /** A conversation of four turns that was compacted, with these hooks. */
  const compactedWith = async (value: unknown) => {
    const world = supervised(
      name,
      (request) => ({ text: isSummaryRequest(request) ? "The notes." : `answer${LONG}` }),
      { ...bare, hooks: [{ scope: "user", file: "/u/settings.json", value }] },
    );
    for (const prompt of ["first", "second", "third", "fourth"]) await world.supervisor.prompt(prompt);
    expect(await world.supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
    return world;
  };

  test("SessionStart hooks add their text to the summary again, those for `compact` alone, and once for each", async () => {
    const hook = (matcher: string, command: string) => ({ matcher, hooks: [{ type: "command", command }] });
    const value = {
      SessionStart: [
        hook("startup", "echo Begun."),
        hook("compact", 'echo "<system-reminder>Mind the step.</system-reminder>"; cat >> told.jsonl'),
      ],
    };
    const { supervisor, model, cwd } = await compactedWith(value);
    await supervisor.prompt("fifth");
    const [beginning] = model.requests.at(-1)?.messages ?? [];
    expect(all(beginning)).toContain("The notes.");
    expect(all(beginning).match(/Mind the step\./g)).toHaveLength(1);
    expect(all(beginning)).toContain("&lt;system-reminder>Mind");
    expect(readFileSync(join(cwd, "told.jsonl"), "utf8").match(/"source":"compact"/g)).toHaveLength(1);
    for (const prompt of ["sixth", "seventh", "eighth"]) await supervisor.prompt(prompt);
    expect(await supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
    await supervisor.prompt("ninth");
    expect(all(model.requests.at(-1)?.messages[0]).match(/Mind the step\./g)).toHaveLength(1);
  });

  test("PostCompact hooks read the summary, those of this trigger alone, and add nothing", async () => {
    const hook = (matcher: string) => ({
      ...{ matcher, hooks: [{ type: "command", command: `cat >> ${matcher}.jsonl; echo Heard.` }] },
    });
    const value = { PostCompact: [hook("manual"), hook("auto")] };
    const { supervisor, model, cwd } = await compactedWith(value);
    expect(JSON.parse(readFileSync(join(cwd, "manual.jsonl"), "utf8"))).toMatchObject({
      ...{ hook_event_name: "PostCompact", trigger: "manual" },
      compact_summary: expect.stringContaining("The notes."),
    });
    expect(existsSync(join(cwd, "auto.jsonl"))).toBe(false);
    await supervisor.prompt("fifth");
    expect(all(model.requests.at(-1))).not.toContain("Heard.");
  });

  test("a hook that blocks it is quoted; a failure is reported; nothing has changed", async () => {
    const value = {
      PreCompact: [
        { matcher: "manual", hooks: [{ type: "command", command: "echo Not on Sundays. >&2; exit 2" }] },
      ],
    };
    const { supervisor, model } = supervised(
      name,
      (request) => ({ text: `${request.messages.length}${LONG}` }),
      {
        ...bare,
        hooks: [{ scope: "user", file: "/u/settings.json", value }],
      },
    );
    await supervisor.prompt("first");
    expect(await supervisor.compact(MAIN)).toEqual({
      type: "left",
      reason: "A PreCompact hook is against it: Not on Sundays.",
    });
    supervisor.replaceSettings({ rules: [], hooks: [] });
    await supervisor.prompt("second");
    expect(model.requests.at(-1)?.messages).toHaveLength(3);
  });

  test("while it works: between two turns, and the work goes on", async () => {
    let wanted: Promise<unknown> | undefined;
    const { supervisor, model } = supervised(
      name,
      (request, n) => {
        if (isSummaryRequest(request)) return { text: "The notes." };
        if (n === 3) wanted = supervisor.compact(MAIN);
        return n < 6
          ? { calls: [{ name: "TodoWrite", input: { todos: [] }, id: `t${n}` }], text: LONG }
          : { text: "done" };
      },
      bare,
    );
    const { summary } = await supervisor.prompt("work");
    expect(summary).toMatchObject({ status: "done", text: "done" });
    expect(await wanted).toMatchObject({ type: "compacted" });
    expect(model.requests.filter(isSummaryRequest)).toHaveLength(1);
  });

  test("compacts after the reply if requested during it", async () => {
    let wanted: Promise<unknown> | undefined;
    const { supervisor } = supervised(
      name,
      (request, n) => {
        if (isSummaryRequest(request)) return { text: "The notes." };
        if (n === 1) wanted = supervisor.compact(MAIN);
        return { text: `answer${LONG}` };
      },
      bare,
    );
    await supervisor.prompt("one");
    expect((await supervisor.prompt("two")).summary).toMatchObject({ status: "done", text: `answer${LONG}` });
    expect(await wanted).toMatchObject({ type: "compacted" });
    expect((await supervisor.prompt("three")).summary.text).toBe(`answer${LONG}`);
  });

  test("reports what is not possible", async () => {
    const { supervisor } = supervised(name, () => ({ text: "answer" }), bare);
    expect(await supervisor.compact(MAIN)).toMatchObject({ type: "left" });
    expect(await supervisor.compact("nobody" as ActorId)).toMatchObject({ type: "left" });
    const agent = await supervisor.spawn({ prompt: "look" });
    expect(await supervisor.compact(agent.id)).toEqual({
      type: "left",
      reason: "It has ended; its conversation is made shorter when it goes on.",
    });
  });
});

test("each agent has its own model's window, by the session's own figures if it has any (A19.5)", async () => {
  const sizes: number[] = [];
  const { supervisor } = supervised(
    "in-thread",
    (request, n) => {
      const usage = { input_tokens: tokensIn(request), output_tokens: 10 };
      if (isSummaryRequest(request)) return { text: "The notes.", usage };
      sizes.push(tokensIn(request));
      if (n >= 30) return { text: "done", usage };
      return {
        calls: [
          {
            name: "TodoWrite",
            input: { todos: [{ content: `${n} ${"x".repeat(900)}`, status: "pending", activeForm: "x" }] },
            id: `t${n}`,
          },
        ],
        usage,
      };
    },
    { ...bare, model: "tiny", compaction: { windows: { tiny: 12_000 } } },
  );
  expect((await supervisor.prompt("work")).summary.status).toBe("done");
  expect(Math.max(...sizes)).toBeLessThan(12_000);
});

test("shows a resumed session's model the same, and counts what its summaries cost", async () => {
  const script = (request: Parameters<typeof isSummaryRequest>[0]) =>
    isSummaryRequest(request)
      ? { text: "The notes.", usage: { input_tokens: 70 } }
      : { text: `answer${LONG}`, usage: { input_tokens: 10 } };
  const { supervisor, cwd, home, model } = supervised("in-thread", script, bare);
  for (const prompt of ["first", "second", "third"]) await supervisor.prompt(prompt);
  await supervisor.compact(MAIN);
  await supervisor.prompt("fourth");
  await supervisor.close();
  const restored = await resumeSession({ home, cwd, session: "latest", fork: true });
  if (restored.type === "refused") throw new Error(restored.reason);
  const again = supervised("in-thread", script, { ...bare, cwd, home, resume: restored.session });
  expect(again.supervisor.usage().usage.input_tokens).toBe(110);
  await again.supervisor.prompt("fifth");
  const before = model.requests.at(-1)?.messages ?? [];
  expect(again.model.requests[0]?.messages.slice(0, before.length)).toEqual(before);
});

test("each summary of a resumed session costs what it did, also if all together would be a long prompt", async () => {
  // More than half of the prompt from which this model costs more.
  const script = (request: Parameters<typeof isSummaryRequest>[0]) =>
    isSummaryRequest(request)
      ? { text: "The notes.", usage: { input_tokens: 60_000 } }
      : { text: `answer${LONG}`, usage: { input_tokens: 10 } };
  const options = { ...bare, model: "claude-haiku-5-5" };
  const { supervisor, cwd, home } = supervised("in-thread", script, options);
  for (const round of ["first", "second"]) {
    for (const prompt of ["a", "b", "c"]) await supervisor.prompt(`${round} ${prompt}`);
    expect(await supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
  }
  const { costUsd } = supervisor.usage();
  expect(costUsd).toBeGreaterThan(0.012);
  await supervisor.close();
  const restored = await resumeSession({ home, cwd, session: "latest", fork: true });
  if (restored.type === "refused") throw new Error(restored.reason);
  const again = supervised("in-thread", script, { ...options, cwd, home, resume: restored.session });
  expect(again.supervisor.usage().costUsd).toBe(costUsd);
  expect(again.supervisor.tree()[0]?.costUsd).toBeCloseTo(costUsd, 6);
});

test("/compact after /remember requests the summary alone, and the next prompt brings what is remembered", async () => {
  const server = await startMessagesServer(({ rawBody }) => ({
    text: rawBody.includes("Write under these headings") ? "The notes." : `answer${LONG}`,
  }));
  onTestFinished(() => server.close());
  const [homedir, managed] = [temporaryFolder(), temporaryFolder()];
  const { supervisor, cwd } = supervised("worker threads", [], {
    source: { provider: "anthropic", apiKey: "k", baseURL: server.url },
    context: {
      memory: { ...userPlaces({}, homedir), home: join(homedir, ".troupe"), managed, trusted: () => true },
    },
    files: { "CLAUDE.md": "- Mind the step.\n" },
  });
  for (const prompt of ["first", "second", "third", "fourth"]) await supervisor.prompt(prompt);
  appendFileSync(join(cwd, "CLAUDE.md"), "- Water the melons.\n");
  expect(await supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
  await supervisor.prompt("fifth");
  const [summary, fifth, ...others] = server.requests.slice(4).map(({ rawBody }) => rawBody);
  expect(summary).toContain("Write under these headings");
  expect(fifth).toContain("fifth");
  expect(fifth?.match(/Water the melons\./g)).toHaveLength(1);
  expect(others).toEqual([]);
});
