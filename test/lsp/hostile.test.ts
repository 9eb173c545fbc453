// @module-tag long
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { FakeClock } from "../support/fake-clock.ts";
import { onLinux } from "../support/needs.ts";
import { toy } from "./toy.ts";

const where = { operation: "goToDefinition", line: 1, character: 3 } as const;

function isRunning(pid: number | undefined): boolean {
  return pid !== undefined && existsSync(`/proc/${pid}/stat`);
}

test.for([
  ["crash", "ended with exit code 7: cannot find the compiler"],
  ["garbage", "its output is not the protocol"],
  ["endless-header", "its output is not the protocol"],
  ["no-json", "its output is not the protocol"],
  ["refuse", "it refused to start (no licence)"],
])("explains a server that fails at its start, without a wait: %s (A3.27)", async ([behaviour, why]) => {
  const { ask } = toy(behaviour ?? "");
  const answer = await ask(where);
  expect(answer).toMatchObject({ type: "failed", message: expect.stringContaining(why ?? "") });
});

test("a server that never says it is ready is given up, and is gone", async () => {
  const clock = new FakeClock();
  const { ask, servers } = toy("hang-at-start", { clock });
  const asked = ask(where);
  await expect.poll(() => clock.pending).toBeGreaterThan(0);
  const stepped = async () => {
    await clock.advance(60_000);
    return Promise.race([asked, null]);
  };
  await expect.poll(stepped).toMatchObject({ message: expect.stringContaining("was not ready within 60 s") });
  await servers.close();
});

test("explains a server that dies when it is asked, and starts it again a limited number of times", async () => {
  const { ask, said } = toy("crash-when-asked");
  for (let life = 1; life <= 4; life += 1) {
    const answer = await ask(where);
    expect(answer).toMatchObject({ message: expect.stringMatching(/is gone \(.*panic: index out of range/) });
  }
  expect(await ask(where)).toMatchObject({ message: expect.stringContaining("ended several times") });
  expect(said().filter(({ pid }) => pid !== undefined)).toHaveLength(4);
});

test("cancels the request of a server that hangs, and ends it after the second", async () => {
  const clock = new FakeClock();
  const { ask, said, servers, root } = toy("hang", { clock });
  for (const _ of [1, 2]) {
    const asked = ask(where);
    const isAsked = (count: number) =>
      said().filter(({ method }) => method === "textDocument/definition").length >= count;
    await expect.poll(() => isAsked(_)).toBe(true);
    await clock.advance(60_000);
    expect(await asked).toMatchObject({ message: expect.stringContaining("did not answer within a minute") });
  }
  expect(said().some(({ method }) => method === "$/cancelRequest")).toBe(true);
  expect(servers.running(`${root}/a.toy`, root)).toBeNull();
});

test("a cancelled agent does not wait for a server that hangs, and the server goes on for others", async () => {
  const { ask, said, servers, root } = toy("hang");
  const stop = new AbortController();
  const asked = ask(where, stop.signal);
  await expect.poll(() => said().some(({ method }) => method === "textDocument/definition")).toBe(true);
  stop.abort(new Error("stopped"));
  await expect(asked).rejects.toThrow("stopped");
  expect(servers.running(`${root}/a.toy`, root)).not.toBeNull();
  expect(await ask({ operation: "documentSymbol" })).toMatchObject({ type: "found" });
});

test("a server that floods is ended", { tags: ["long"] }, async () => {
  const { ask, said } = toy("flood");
  const answer = await ask(where);
  expect(answer).toMatchObject({ message: expect.stringContaining("it sent more than") });
  const pid = said()[0]?.pid;
  if (process.platform === "linux") await expect.poll(() => isRunning(pid)).toBe(false);
});

test("matches answers that come late, in another order, twice or without a request", async () => {
  const backwards = toy("backwards");
  const [first, second] = await Promise.all([
    backwards.ask({ ...where, character: 2 }),
    backwards.ask({ ...where, line: 2, character: 4 }),
  ]);
  expect(first).toEqual({ type: "found", text: "a.toy:1:2  first line" });
  expect(second).toEqual({ type: "found", text: "a.toy:2:4  second line" });
  const twice = toy("twice");
  expect(await twice.ask(where)).toMatchObject({ type: "found" });
  expect(await twice.ask(where)).toMatchObject({ type: "found" });
});

test.for(["nonsense", "deep", "large"])("explains an invalid answer: %s", async (behaviour) => {
  const { ask } = toy(behaviour);
  expect(await ask(where)).toMatchObject({
    type: "failed",
    message: expect.stringMatching(/sent an invalid answer|a message has more than \d+ bytes/),
  });
});

test("a server that wants to be asked again is asked again", async () => {
  const { ask } = toy("busy");
  expect(await ask(where)).toMatchObject({ type: "found" });
});

test("answers a server's requests, and executes none: edits, documents, configuration", async () => {
  const { ask, said } = toy("asks", { settings: { toy: { deep: { strict: true } } } });
  await ask(where);
  const answers = () => said().filter(({ id, method }) => method === undefined && id !== undefined);
  await expect.poll(answers).toHaveLength(5);
  const by = (id: number) => answers().find((one) => one.id === id);
  expect(by(900)?.result).toMatchObject({ applied: false });
  expect(by(901)?.result).toEqual([{ strict: true }, null]);
  expect(by(902)?.result).toEqual({ success: false });
  expect(by(903)?.error).toMatchObject({ code: -32601 });
  expect(by(904)?.result).toHaveLength(1);
});

test("a server that ignores its end is ended with the session, and its processes with it", {
  ...onLinux,
  tags: ["long"],
}, async () => {
  const { ask, said, servers } = toy("deaf");
  await ask(where);
  const pid = said()[0]?.pid;
  expect(isRunning(pid)).toBe(true);
  await servers.close();
  expect(isRunning(pid)).toBe(false);
});

test("a server that counts in what Troupe does not know is not used", async () => {
  const { ask } = toy("well", { env: { TOY_ENCODING: "utf-8" } });
  expect(await ask(where)).toMatchObject({
    message: expect.stringContaining('it counts characters in "utf-8"'),
  });
});
