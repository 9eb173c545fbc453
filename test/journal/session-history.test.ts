import { expect, test } from "vitest";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { sessionOf } from "../../src/journal/sessions.ts";
import { prompt, recordsOf, SESSION, sessionEvent } from "./samples.ts";

test("a session is closed only while `end` is its last record", () => {
  const closed: SessionEvent[] = [sessionEvent(), prompt("one"), { type: "end", status: "done" }];
  const known = { id: SESSION, cwd: "/w", title: "hi", startedAt: "2026-01-01T00:00:00.000Z" };
  expect(sessionOf(recordsOf(closed))).toEqual({
    ...known,
    model: "sonnet",
    endedAt: "2026-01-01T00:00:02.000Z",
    status: "done",
  });
  const reopened = [...closed, sessionEvent({ model: "opus", title: "another" })];
  expect(sessionOf(recordsOf(reopened))).toEqual({ ...known, model: "opus", endedAt: null, status: null });
  expect(sessionOf(recordsOf([prompt("no session")]))).toBeNull();
});
