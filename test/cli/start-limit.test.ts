import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

test("a start of -p that stands still is left after 2 minutes, with what it waits for (issue 15, 28)", async () => {
  const io = new FakeIO({ stdin: "" });
  const asked = Promise.withResolvers<void>();
  const runtime = Object.assign(new FakeRuntime(), {
    checkBaseURL() {
      asked.resolve();
      return new Promise<never>(() => {});
    },
  });
  const code = main(["-p", "x", "--offline"], io, runtime);
  await asked.promise;
  await io.clock.advance(119_999);
  expect(io.left).toEqual([]);
  await io.clock.advance(1);
  expect(await code).toBe(1);
  expect(io.left).toEqual([1]);
  expect(io.err.text).toMatch(
    /^troupe: The session did not start within 2 min \(it waits for .*\); run the command again\.\n$/,
  );
});
