import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { READ_MS, type ReaderPorts, readInThread } from "../../src/web/convert/reader.ts";
import { FakeClock } from "../support/fake-clock.ts";

const entry = new URL("./odd-reader.ts", import.meta.url);

function read(url: string, { clock = systemClock }: Partial<ReaderPorts> = {}, signal?: AbortSignal) {
  const page = { url, contentType: "text/plain", body: Buffer.from("words"), isCut: false };
  return readInThread(page, { clock, entry }, signal ?? new AbortController().signal);
}

test.each([
  ["exit", "the thread that reads pages ended"],
  ["throw", "it is too much for the reader (broken)"],
])("a page that cannot be read (%s) is a problem, and others are read", async (url, problem) => {
  expect(await Promise.all([read(url), read("b")])).toMatchObject([{ problem }, { text: "b" }]);
});

test("a page that holds its thread is given up after its time", async () => {
  const clock = new FakeClock();
  const held = read("hang", { clock });
  await clock.advance(READ_MS);
  expect(await held).toEqual({ problem: "it could not be read within 30 s" });
});

test("a page is given up when the session ends", async () => {
  const ending = new AbortController();
  const held = read("hang", {}, ending.signal);
  ending.abort();
  expect(await held).toEqual({ problem: "it was cancelled" });
  expect(await read("b", {}, ending.signal)).toEqual({ problem: "it was cancelled" });
});
