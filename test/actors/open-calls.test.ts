import { expect, test } from "vitest";
import { OpenCalls } from "../../src/actors/open-calls.ts";
import type { CallResult } from "../../src/mailbox/messages.ts";

const result = (content: string): CallResult => ({ content, isError: false });

test("a thread may go when every call without a result waits on the supervisor's side", () => {
  const open = new OpenCalls();
  expect(open.onlyWait).toBe(false);
  open.stands(0, "away");
  open.stands(1, "away");
  expect(open.onlyWait).toBe(true);
  open.stands(2, "here");
  expect(open.onlyWait).toBe(false);
  open.settle(2, result("done"));
  expect(open.onlyWait).toBe(true);
});

test("keeps the thread for a call that waits for permission next to others, but not alone", () => {
  const open = new OpenCalls();
  open.stands(0, "asked");
  expect(open.onlyWait).toBe(true);
  open.stands(1, "away");
  expect(open.onlyWait).toBe(false);
  open.settle(1, result("done"));
  expect(open.onlyWait).toBe(true);
  open.stands(0, "here");
  expect(open.onlyWait).toBe(false);
});

test("nothing waits where everything is answered", () => {
  const open = new OpenCalls([{ index: 0, result: result("known") }]);
  expect(open.onlyWait).toBe(false);
  expect(open.known(0)).toEqual(result("known"));
  expect(open.known(1)).toBeUndefined();
});

test("results are kept by the place of their call, those from before and those since", () => {
  const open = new OpenCalls([{ index: 1, result: result("before") }]);
  open.stands(0, "here");
  open.settle(0, result("since"));
  expect(open.results).toEqual([
    { index: 1, result: result("before") },
    { index: 0, result: result("since") },
  ]);
});

test("notifies of each call that has ended, once its result is recorded", () => {
  const open = new OpenCalls();
  const seen: number[] = [];
  open.onSettled(() => seen.push(open.results.length));
  open.stands(0, "away");
  open.stands(1, "here");
  open.settle(1, result("one"));
  open.settle(0, result("two"));
  expect(seen).toEqual([1, 2]);
});
