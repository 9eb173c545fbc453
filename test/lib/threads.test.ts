import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startAhead, type ThreadKind } from "../../src/lib/threads.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A thread that answers its first message with what it is and has. */
function kind(name: string, code: string): ThreadKind {
  const file = join(temporaryFolder(), `${name}.cjs`);
  writeFileSync(file, code);
  return { name, entry: pathToFileURL(file) };
}
const echo = () =>
  kind(
    "echo",
    `const { parentPort, threadId } = require("node:worker_threads");
     parentPort.on("message", (message) => parentPort.postMessage({ threadId, message, env: Object.keys(process.env) }));`,
  );

test("a thread that is ahead is handed out once, with all that it was sent before it had booted", async () => {
  const kindOfEcho = echo();
  const ahead = startAhead([kindOfEcho]);
  const [first, second] = [ahead.start(kindOfEcho), ahead.start(kindOfEcho)];
  onTestFinished(async () => {
    await Promise.all([first.terminate(), second.terminate(), ahead.close()]);
  });
  for (const worker of [first, second]) worker.postMessage("data");
  const answers = await Promise.all([first, second].map((worker) => once(worker, "message")));
  expect(answers.map(([{ message }]) => message)).toEqual(["data", "data"]);
  expect(new Set(answers.map(([{ threadId }]) => threadId)).size).toBe(2);
});

test("a thread gets no variable of the environment but the compile cache: no key", async () => {
  const kindOfEcho = echo();
  const ahead = startAhead([kindOfEcho]);
  const worker = ahead.start(kindOfEcho);
  onTestFinished(() => worker.terminate().then(() => {}));
  worker.postMessage(null);
  const [{ env }] = await once(worker, "message");
  expect(env.filter((name: string) => name !== "NODE_COMPILE_CACHE")).toEqual([]);
});

test("one that dies before it is taken is not handed out, and fails no program", async () => {
  const dying = kind("dying", 'throw new Error("at once");');
  const born = once(process, "worker");
  const ahead = startAhead([dying]);
  const [first] = await born;
  await new Promise((resolve) => first.on("exit", resolve));
  const replaced = ahead.start(dying);
  const [error] = await once(replaced, "error");
  expect(error.message).toBe("at once");
  await ahead.close();
});

test("what no one has taken is ended by close", async () => {
  const kindOfEcho = echo();
  const born = once(process, "worker");
  const ahead = startAhead([kindOfEcho]);
  const [worker] = await born;
  await ahead.close();
  expect(worker.threadId).toBe(-1);
});
