import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { Helper } from "../../src/processes/helper-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("opens no inspector in a helper process on SIGUSR1, and the helper lives on", async () => {
  const entry = join(temporaryFolder(), "helper.mjs");
  writeFileSync(
    entry,
    `import { url } from "node:inspector";
     process.on("message", () => process.send({ type: "event", id: 0, body: url() ?? null }));`,
  );
  const gone = Promise.withResolvers<string>();
  const helper = new Helper({
    ...{ entry: pathToFileURL(entry), env: { NODE_OPTIONS: "--inspect-port=0" }, clock: systemClock },
    onGone: gone.resolve,
  });
  let report = Promise.withResolvers<unknown>();
  helper.channel.onFrame((frame) => report.resolve(frame.type === "event" ? frame.body : frame));
  onTestFinished(() => helper.kill());
  const inspector = async () => {
    report = Promise.withResolvers();
    helper.channel.post({ type: "cancel", id: 0 });
    return report.promise;
  };
  await inspector();
  process.kill(helper.pid ?? 0, "SIGUSR1");
  for (let asked = 0; asked < 50; asked++) expect(await inspector()).toBeNull();
  await helper.end(10_000);
  expect(await gone.promise).toBe("exit code 0");
});
