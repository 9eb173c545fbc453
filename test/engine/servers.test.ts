// @module-tag long
import { afterAll, beforeAll, describe } from "vitest";
import { openEngine } from "../../src/engine/open-engine.ts";
import {
  type OwnServer,
  startPostgres,
  startRedis,
  whyNoPostgres,
  whyNoRedis,
} from "../support/engine-servers.ts";
import { unless } from "../support/needs.ts";
import { conforms, type Ground, survives } from "./conformance.ts";

describe.each([
  { name: "Redis", why: whyNoRedis, start: startRedis },
  { name: "PostgreSQL", why: whyNoPostgres, start: startPostgres },
])("the carrier on $name", ({ why, start }) => {
  describe("", unless(why), () => {
    let server: OwnServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.close());

    const open = async (): Promise<Ground> => {
      const [session, runner, other] = await Promise.all([1, 2, 3].map(() => openEngine(server.url)));
      if (!session || !runner || !other) throw new Error("none");
      return { session, runner, other, crash: server.crash, restart: server.restart };
    };
    conforms(open);
    survives(open);
  });
});
