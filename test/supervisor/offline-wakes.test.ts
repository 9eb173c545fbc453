import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeClock } from "../support/fake-clock.ts";
import { supervised } from "../support/supervised.ts";

/** A conversation with the embedded offline model, on real threads. */
function offline(options: object = {}) {
  const session = supervised("worker threads", [], {
    ...{ source: { provider: "offline" }, background: "wake", ...options },
  });
  const answers = () =>
    session.events.flatMap((event) => (event.type === "answered" ? [event.result.summary.text] : []));
  return { ...session, answers };
}

test("an offline agent is woken by a timer, and does what the prompt says (A15.1)", {
  tags: ["long"],
}, async () => {
  const clock = new FakeClock();
  const { supervisor, cwd, answers } = offline({ clock });
  writeFileSync(join(cwd, "status.txt"), "the deploy has finished\n");
  const job = { cron: "* * * * *", prompt: `run "cat status.txt"`, recurring: false };
  const { summary } = await supervisor.prompt(`call CronCreate ${JSON.stringify(job)}`);
  expect(summary.text).toContain("Scheduled as");
  const stepped = async () => {
    await clock.advance(10_000);
    return answers();
  };
  await expect.poll(stepped).toEqual([expect.stringContaining("the deploy has finished")]);
});

test("an offline agent is woken by a line of a log that it follows with Monitor (A15.5)", {
  tags: ["long"],
}, async () => {
  const { supervisor, cwd, answers } = offline({ allowedTools: ["Bash"] });
  const log = join(cwd, "server.log");
  writeFileSync(log, "starting\n");
  await supervisor.prompt(`in background: run "tail -f server.log"`);
  const refused = await supervisor.prompt(`call Monitor {"task_id": "?"}`);
  const id = /Running: (\w+)/.exec(refused.summary.text)?.[1];
  const follow = { task_id: id, pattern: "ERROR" };
  const followed = await supervisor.prompt(`call Monitor ${JSON.stringify(follow)}`);
  expect(followed.summary.text).toContain("You will be notified of new lines");
  appendFileSync(log, "all is well\nERROR: port 3000 is taken\n");
  await expect.poll(answers).toEqual([expect.stringContaining("ERROR: port 3000 is taken")]);
});
