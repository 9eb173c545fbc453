import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/mailbox/clock.ts";
import { READ_MS, Reader } from "../../src/web/convert/reader.ts";
import { FakeClock } from "../support/fake-clock.ts";

const never = new AbortController().signal;
const page = (url: string, body = "words") => ({
  ...{ url, contentType: "text/plain", body: Buffer.from(body), isCut: false },
});

const entry = new URL("./odd-reader.ts", import.meta.url);

function readerOf(ports: Partial<ConstructorParameters<typeof Reader>[0]> = {}) {
  const reader = new Reader({ clock: systemClock, entry, ...ports });
  onTestFinished(() => reader.close());
  return reader;
}

test("pages are read one after the other in one thread", async () => {
  const reader = readerOf();
  const read = await Promise.all(["a", "b", "c"].map((url) => reader.read(page(url), never)));
  expect(read).toMatchObject([{ text: "a" }, { text: "b" }, { text: "c" }]);
  expect(new Set(read.map((one) => ("title" in one ? one.title : ""))).size).toBe(1);
});

test("a page that holds the thread is given up after its time, and the next one gets another thread", async () => {
  const clock = new FakeClock();
  const reader = readerOf({ clock });
  const first = await reader.read(page("a"), never);
  const held = reader.read(page("hang"), never);
  const waits = reader.read(page("b"), never);
  await clock.advance(READ_MS);
  expect(await held).toEqual({ problem: "it could not be read within 30 s" });
  const next = await waits;
  expect(next).toMatchObject({ text: "b" });
  expect(next).not.toMatchObject({ title: "title" in first ? first.title : "" });
});

test.each([
  ["exit", "the thread that reads pages ended"],
  ["throw", "it is too much for the reader (broken)"],
  ["reject", "not a page"],
])("a page that cannot be read (%s) is a problem, and the next one is read", async (url, problem) => {
  const reader = readerOf();
  const [bad, good] = await Promise.all([reader.read(page(url), never), reader.read(page("b"), never)]);
  expect(bad).toEqual({ problem });
  expect(good).toMatchObject({ text: "b" });
});

test("a page that waits is given up when its caller is cancelled, and all when the session ends", async () => {
  const reader = readerOf({ clock: new FakeClock() });
  const cancelled = new AbortController();
  const held = reader.read(page("hang"), never);
  const waits = reader.read(page("b"), cancelled.signal);
  const last = reader.read(page("c"), never);
  cancelled.abort();
  expect(await waits).toEqual({ problem: "it was cancelled" });
  await reader.close();
  expect(await held).toEqual({ problem: "the session has ended" });
  expect(await last).toEqual({ problem: "the session has ended" });
  expect(await reader.read(page("d"), never)).toEqual({ problem: "the session has ended" });
});
