import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { supervised } from "../support/supervised.ts";

type Post = Worker["postMessage"];

/** The journal's thread gets no summary before `release`; `seen` are the kinds of all events it got. */
function holdSummaries() {
  const post: Post = Worker.prototype.postMessage;
  const seen: string[] = [];
  const held: (() => void)[] = [];
  const first = Promise.withResolvers<void>();
  let holding = true;
  Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest: []) {
    const type = eventIn(message);
    const pass = () => {
      if (type !== null) seen.push(type);
      post.call(this, message, ...rest);
    };
    if (type !== "summary" || !holding) return pass();
    held.push(pass);
    first.resolve();
  };
  onTestFinished(() => {
    Worker.prototype.postMessage = post;
  });
  return {
    seen,
    first: first.promise,
    release() {
      holding = false;
      for (const pass of held.splice(0)) pass();
    },
  };
}

function eventIn(message: unknown): string | null {
  if (!(message instanceof Object && "event" in message && message.event instanceof Object)) return null;
  return "type" in message.event ? String(message.event.type) : null;
}

/** Enough for whoever does not wait to go on. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate);
}

test("close waits until the end of a run is on disk (S7)", async () => {
  const { supervisor } = supervised("in-thread", [{ text: "the answer" }]);
  const { seen, first, release } = holdSummaries();
  const result = supervisor.prompt("go");
  await first;
  const closing = supervisor.close();
  await manyTurns();
  expect(seen).not.toContain("end");
  release();
  expect((await result).summary).toMatchObject({ status: "done", text: "the answer" });
  await closing;
  const text = readFileSync(join(supervisor.folder, "journal.jsonl"), "utf8");
  const types = text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line).event.type);
  expect(types.slice(-2)).toEqual(["summary", "end"]);
});
