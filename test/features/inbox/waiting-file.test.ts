import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { openInbox } from "../../../src/features/inbox/index.ts";
import { leaveAnswer, waitingFolder } from "../../../src/features/inbox/waiting-file.ts";
import type { UserAnswer, UserRequest } from "../../../src/policy/user-requests.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const LOOK_MS = 500;
const yes: UserAnswer = { type: "approve", mode: "default" };
const no: UserAnswer = { type: "deny", span: "once" };
const plan = (id: string): UserRequest => ({
  ...{ type: "plan", id, plan: "1. Do it.", file: "/plan.md", allows: [] },
  askers: [{ actor: "main" as never, path: ["main conversation"] }],
});

function session() {
  const folder = temporaryFolder();
  const clock = new FakeClock();
  const answers: UserAnswer[] = [];
  const inbox = openInbox({ folder, clock, redact: (text) => text, onEvent: () => {} });
  const post = (id: string) => {
    const settle = inbox.post(plan(id), (answer) => {
      answers.push(answer);
      settle(answer);
    });
    return settle;
  };
  const left = (id: string, answer: UserAnswer) => leaveAnswer(folder, id, answer);
  return { folder, clock, answers, post, left, names: () => readdirSync(waitingFolder(folder)).sort() };
}

test("of two answers to one request the one that the session took counts, also if the other came after that", async () => {
  const { clock, answers, post, left, names } = session();
  post("ask1");
  post("ask2");
  const first = left("ask1", yes);
  expect(first?.outcome()).toBe("waits");
  expect(left("ask1", no)).toBeNull();
  await clock.advance(LOOK_MS);
  // It was listed before the first was taken, and is left after that.
  const second = left("ask1", no);
  expect([first?.outcome(), second?.outcome()]).toEqual(["taken", "missed"]);
  await clock.advance(LOOK_MS);
  expect([first?.outcome(), second?.outcome()]).toEqual(["taken", "missed"]);
  expect(answers).toEqual([yes]);
  first?.close();
  second?.close();
  expect(names()).toEqual(["ask2.json"]);
});

test("an answer to a request that was answered where the session runs does not count", () => {
  const { post, left, answers, names } = session();
  const settle = post("ask1");
  const late = left("ask1", no);
  settle(yes);
  expect(late?.outcome()).toBe("missed");
  late?.close();
  expect(answers).toEqual([]);
  expect(names()).toEqual([]);
});
