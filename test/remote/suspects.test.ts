// @module-tag long
import { afterEach, describe, expect, test } from "vitest";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { FromAgent } from "../../src/mailbox/messages.ts";
import { countingSpec } from "../support/counting-spec.ts";
import { fastClock, type Link, openLink } from "../support/link-host.ts";
import { seeded } from "../support/supervised.ts";
import { servicesWith } from "../support/unasked-services.ts";

let link: Link;
afterEach(() => link.host.close());

/** An agent whose next lost runner would end it. It boards, and does nothing. */
function suspect(name: string, pool?: string) {
  const said: FromAgent[] = [];
  const handle = link.host.start({
    spec: { ...countingSpec, id: ActorId.parse(name), ...(pool === undefined ? {} : { pool }) },
    services: servicesWith(),
    connect: () => {
      throw new Error("It asks no model.");
    },
    elsewhere: null,
    isSuspect: true,
    onReport: (report) => said.push(report),
  });
  const places = () => said.flatMap((report) => (report.type === "place" ? [report] : []));
  return {
    handle,
    runner: () => places().find(({ runner }) => runner !== null)?.runner ?? null,
    waits: () => places().at(-1)?.waits ?? null,
  };
}

describe("an agent that lost two runners in a row", () => {
  test("waits, and says so, while another one is on a runner, until that one has ended", async () => {
    link = openLink({ random: seeded(3), clock: fastClock });
    link.addRunner("r1", { begins: false });
    const [first, second] = [suspect("first000000000001"), suspect("second00000000001")];
    await expect.poll(first.runner).toBe("r1");
    await expect.poll(second.waits).toMatch(/they are tried one at a time$/);
    expect(second.runner()).toBe(null);
    first.handle.terminate();
    await expect.poll(second.runner).toBe("r1");
  });

  test("does not wait for longer than ten minutes for one that does no turn", async () => {
    link = openLink({ random: seeded(3), clock: fastClock });
    link.addRunner("r1", { begins: false });
    const first = suspect("first000000000001");
    await expect.poll(first.runner).toBe("r1");
    const since = fastClock.now();
    const second = suspect("second00000000001");
    await expect.poll(second.runner, { timeout: 20_000 }).toBe("r1");
    expect(fastClock.now() - since).toBeGreaterThan(500_000);
  });

  test("does not wait for one of another pool that has no runner", async () => {
    link = openLink({ random: seeded(3), clock: fastClock });
    link.addRunner("r1", { begins: false });
    const [first, second] = [suspect("first000000000001", "gpu"), suspect("second00000000001")];
    await expect.poll(second.runner).toBe("r1");
    expect(first.runner()).toBe(null);
    link.addRunner("r2", { begins: false, pools: ["gpu"] });
    await expect.poll(first.runner).toBe("r2");
  });
});
