import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { systemClock } from "../../src/mailbox/clock.ts";
import { HelperProcess } from "../../src/processes/helper-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

const Report = z.object({ inspector: z.nullable(z.string()) });

test("opens no inspector in a helper process on SIGUSR1, and the helper lives on", async () => {
  const entry = join(temporaryFolder(), "helper.mjs");
  writeFileSync(
    entry,
    `import { url } from "node:inspector";
     process.on("message", () => process.send({ inspector: url() ?? null }));`,
  );
  let report = Promise.withResolvers<z.infer<typeof Report>>();
  const gone = Promise.withResolvers<string>();
  const helper = new HelperProcess<z.infer<typeof Report>, number>({
    ...{ entry: pathToFileURL(entry), env: { NODE_OPTIONS: "--inspect-port=0" }, clock: systemClock },
    words: Report,
    hear: (message) => report.resolve(message),
    onGone: gone.resolve,
  });
  onTestFinished(() => helper.kill());
  const inspector = async () => {
    report = Promise.withResolvers();
    helper.send(0);
    return (await report.promise).inspector;
  };
  await inspector();
  process.kill(helper.pid ?? 0, "SIGUSR1");
  for (let asked = 0; asked < 50; asked++) expect(await inspector()).toBeNull();
  await helper.end(10_000);
  expect(await gone.promise).toBe("exit code 0");
});
