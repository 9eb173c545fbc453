import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { noUsage } from "../../src/mailbox/conversation.ts";
import type { ModelClient, ModelRequest } from "../../src/model/client.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { resumeSession } from "../../src/session/resume-session.ts";
import { Supervisor } from "../../src/session/supervisor.ts";
import { shippedHosts, supervised } from "../support/supervised.ts";

const isMain = ({ actor }: ModelRequest) => actor === "main";
const journalOf = (folder: string) => readFileSync(join(folder, "journal.jsonl"), "utf8");

describe.each(shippedHosts)("a session that is left, %s", (host) => {
  test("answers those that wait, ends nothing in its journal, and continues when it is resumed (C23, fault 63)", async () => {
    const reached = Promise.withResolvers<void>();
    const { supervisor, cwd, home } = supervised(host, (request) => {
      if (isMain(request)) return { calls: [{ name: "Agent", input: { description: "d", prompt: "work" } }] };
      reached.resolve();
      return { text: "never", after: new Promise(() => {}) };
    });
    const result = supervisor.prompt("go");
    await reached.promise;
    supervisor.detach("The session was left.");
    expect((await result).summary).toMatchObject({ status: "cancelled", reason: "The session was left." });
    await supervisor.close();
    expect(journalOf(supervisor.folder)).not.toMatch(/"type":"(summary|end)"/);

    const restoring = await resumeSession({ home, cwd, session: "latest" });
    if (restoring.type === "refused") throw new Error(restoring.reason);
    const again = new Supervisor({
      cwd,
      home,
      source: {
        provider: "client",
        client: scriptedModel((request) => ({ text: isMain(request) ? "all done" : "the work" })),
      },
      resume: restoring.session,
    });
    expect(again.unfinished()).toMatchObject({ main: true, agents: [{ description: "d" }] });
    expect((await again.resumeUnfinished())?.summary).toMatchObject({ status: "done", text: "all done" });
    await again.close();
    expect(journalOf(supervisor.folder).match(/"type":"summary"/g)).toHaveLength(2);
  });

  test("records what is asked for at the last moment, and runs it when it is resumed (issue 15, 6)", async () => {
    const { supervisor, cwd, home } = supervised(host, []);
    supervisor.detach("The session was left.");
    expect((await supervisor.prompt("go")).summary).toMatchObject({
      status: "cancelled",
      reason: "The session was left.",
    });
    expect(supervisor.unfinished()).toEqual({ main: true, agents: [] });
    await supervisor.close();
    const restoring = await resumeSession({ home, cwd, session: "latest" });
    if (restoring.type === "refused") throw new Error(restoring.reason);
    const client = scriptedModel(() => ({ text: "went" }));
    const resume = restoring.session;
    const again = new Supervisor({ cwd, home, source: { provider: "client", client }, resume });
    expect((await again.resumeUnfinished())?.summary).toMatchObject({ status: "done", text: "went" });
    await again.close();
  });

  test("a session in which nothing ran ends like any other", async () => {
    const { supervisor } = supervised(host, [{ text: "hello" }]);
    await supervisor.prompt("go");
    supervisor.detach("The session was left.");
    await supervisor.close();
    expect(journalOf(supervisor.folder)).toContain('"type":"end"');
  });
});

test("a session that is resumed and closed before anything was started stays as it was", async () => {
  const reached = Promise.withResolvers<void>();
  const { supervisor, cwd, home } = supervised("in-thread", () => {
    reached.resolve();
    return { text: "never", after: new Promise(() => {}) };
  });
  void supervisor.prompt("go");
  await reached.promise;
  supervisor.detach("The session was left.");
  await supervisor.close();
  for (const _ of [1, 2]) {
    const restoring = await resumeSession({ home, cwd, session: "latest" });
    if (restoring.type === "refused") throw new Error(restoring.reason);
    const again = new Supervisor({ cwd, home, source: { provider: "offline" }, resume: restoring.session });
    expect(again.unfinished().main).toBe(true);
    await again.close();
  }
});

test("says of a call that ran when the user left that the program was stopped, or died", async () => {
  const begun = Promise.withResolvers<void>();
  const call = { name: "Bash", input: { command: "sleep 60", description: "wait" } };
  const { supervisor, cwd, home } = supervised("worker threads", [{ calls: [call] }], {
    permissionMode: "bypassPermissions",
    onEvent: ({ type }) => type === "call-begin" && begun.resolve(),
  });
  void supervisor.prompt("go");
  await begun.promise;
  supervisor.detach("The session was left.");
  await supervisor.close();
  const restoring = await resumeSession({ home, cwd, session: "latest" });
  if (restoring.type === "refused") throw new Error(restoring.reason);
  const client = scriptedModel([{ text: "done" }]);
  const resume = restoring.session;
  const again = new Supervisor({ cwd, home, source: { provider: "client", client }, resume });
  await again.resumeUnfinished();
  await again.close();
  expect(JSON.stringify(client.requests[0]?.messages)).toContain(
    "Result unknown: the program was stopped, or died, while Bash was running.",
  );
});

test("keeps the text of a reply that is being written, and what it cost so far", async () => {
  const begun = Promise.withResolvers<void>();
  const charged = Promise.withResolvers<void>();
  const client: ModelClient = {
    name: "half",
    async ask(_, on, signal) {
      on({ type: "text", text: "The first half" });
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      const usage = { ...noUsage, input_tokens: 70, output_tokens: 3 };
      return { type: "failure", failure: { kind: "cancelled", message: "cancelled", usage } };
    },
  };
  const { supervisor } = supervised("worker threads", [], {
    source: { provider: "client", client },
    onEvent(event) {
      if (event.type === "text") begun.resolve();
      if (event.type === "agent" && event.view.usage.input_tokens === 70) charged.resolve();
    },
  });
  const result = supervisor.prompt("go");
  await begun.promise;
  supervisor.detach("It was stopped (SIGTERM).");
  expect((await result).summary).toMatchObject({
    ...{ status: "cancelled", text: "The first half", reason: "It was stopped (SIGTERM)." },
  });
  await charged.promise;
  expect(supervisor.usage().usage).toMatchObject({ input_tokens: 70, output_tokens: 3 });
  expect(supervisor.usage().costUsd).toBeGreaterThan(0);
});
