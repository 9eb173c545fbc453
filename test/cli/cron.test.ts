import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openTimers } from "../../src/timers/timers.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

function place() {
  const homedir = temporaryFolder();
  const cwd = join(homedir, "project");
  mkdirSync(cwd);
  const cron = async (...words: string[]) => {
    const io = new FakeIO({ homedir, cwd });
    const code = await main(["cron", ...words], io, new FakeRuntime());
    return { code, out: io.out.text, err: io.err.text };
  };
  const timers = openTimers({
    ...{ project: cwd, home: join(homedir, ".troupe"), clock: systemClock },
    ...{ newId: () => "abc", onDue() {}, onWarning() {} },
  });
  return { cron, timers };
}

test("lists and deletes the durable prompts of a project (A15.3)", async () => {
  const { cron, timers } = place();
  expect(await cron("list")).toEqual({
    ...{ code: 0, out: "", err: "No durable prompts are scheduled in this project.\n" },
  });
  await timers.create({ cron: "0 9 * * *", prompt: "look\u001b[31m around", recurring: true, durable: true });
  timers.close();
  const { out } = await cron("list");
  expect(out).toMatch(/^abc · 0 9 \* \* \*, recurring · durable · next \d{4}-\d\d-\d\d 09:00 · look/);
  expect(out).not.toContain("\u001b");
  expect(JSON.parse((await cron("list", "--json")).out).tasks).toMatchObject([
    { id: "abc", recurring: true },
  ]);
  expect(await cron("delete", "abc")).toMatchObject({ code: 0 });
  expect(await cron("delete", "abc")).toMatchObject({
    code: 1,
    err: expect.stringContaining("no scheduled"),
  });
});
