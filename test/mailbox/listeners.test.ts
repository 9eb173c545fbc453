import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { abortable, pause, systemClock } from "../../src/lib/clock.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { GatewayClient } from "../../src/model/gateway-client.ts";
import { localGateway } from "../../src/model/gateway-server.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { runTimed } from "../../src/tools/tool-module.ts";
import { startGitWorker } from "../../src/worktrees/git-worker.ts";
import { requestOf } from "../model/asking.ts";
import { repositoryWith } from "../support/git-repository.ts";

type Ask = (signal: AbortSignal) => Promise<unknown>;

function lane() {
  const gateway = localGateway(scriptedModel(() => ({ text: "fine" })));
  const model = new GatewayClient(gateway.connect(MAIN, true));
  onTestFinished(async () => {
    model.close();
    await gateway.close();
  });
  return model;
}

function processes() {
  const started = startProcesses({ env: { PATH: process.env["PATH"] } });
  onTestFinished(() => started.close());
  return started;
}

const rows: readonly (readonly [name: string, times: number, open: () => Promise<Ask>])[] = [
  ["a pause", 1_000, async () => (signal) => pause(systemClock, 0, signal)],
  ["work that can be given up", 1_000, async () => (signal) => abortable(Promise.resolve(), signal)],
  [
    "a call with a deadline",
    1_000,
    async () => (signal) =>
      runTimed("T", 60_000, { clock: systemClock, signal }, async () => ({ content: "", isError: false })),
  ],
  [
    "a request to the model",
    1_000,
    async () => {
      const model = lane();
      return (signal) => model.ask(requestOf(), () => {}, signal);
    },
  ],
  [
    "a count of tokens",
    1_000,
    async () => {
      const model = lane();
      return (signal) => model.countTokens?.(requestOf(), signal) ?? Promise.reject(new Error("no count"));
    },
  ],
  [
    "a process",
    50,
    async () => {
      const started = processes();
      const run = { owner: MAIN, file: "true", args: [], cwd: "/", timeoutMs: 60_000, maxOutputBytes: 1_000 };
      let runs = 0;
      return (signal) => started.run({ ...run, id: `r${runs++}` }, signal);
    },
  ],
  [
    "a question to the git worker",
    20,
    async () => {
      const { folder, env } = await repositoryWith({ "a.txt": "one\n" });
      const keeper = startGitWorker({ env, clock: systemClock, onWarning() {} });
      onTestFinished(() => keeper.close());
      const anchors = { projects: [folder], home: folder, config: folder, foldCase: false };
      const request = { folder, alsoAt: [], patterns: [".env"], anchors };
      return (signal) => keeper.everTracked(request, signal);
    },
  ],
];

test.each(rows)(
  "%s leaves no listener on a signal that lives on, %d times",
  { tags: ["long"] },
  async (_name, times, open) => {
    const { signal } = new AbortController();
    const ask = await open();
    for (let n = 0; n < times; n += 1) await ask(signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  },
);
