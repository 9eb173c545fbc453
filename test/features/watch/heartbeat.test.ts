import { expect, test } from "vitest";
import { withHeartbeat } from "../../../src/features/watch/heartbeat.ts";
import { CallId } from "../../../src/mailbox/ids.ts";
import { servicesWith } from "../../support/unasked-services.ts";

const services = servicesWith();

const question = { id: CallId.parse("agent1.1.0"), toolUse: "t", tool: "Read", input: {}, cwd: "/" };

test("a question and its answer are signs of life; between them it is not the agent that is silent", async () => {
  const asked = Promise.withResolvers<{ type: "go" }>();
  const signs = { lastSignAt: 0, answering: 0 };
  let now = 10;
  const heard = withHeartbeat({ ...services, before: () => asked.promise }, signs, () => now);
  const verdict = heard.before(question);
  expect(signs).toEqual({ lastSignAt: 10, answering: 1 });
  now = 99_000;
  asked.resolve({ type: "go" });
  expect(await verdict).toEqual({ type: "go" });
  expect(signs).toEqual({ lastSignAt: 99_000, answering: 0 });
});

test("an answer that fails is one too", async () => {
  const signs = { lastSignAt: 0, answering: 0 };
  const heard = withHeartbeat(services, signs, () => 5);
  await expect(heard.before(question)).rejects.toThrow("Nobody asks");
  expect(signs).toEqual({ lastSignAt: 5, answering: 0 });
});
