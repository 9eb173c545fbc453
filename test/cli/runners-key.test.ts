import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

const good = Buffer.alloc(32, 255).toString("base64url");

describe("troupe runners key", () => {
  it.each([
    ["creates it", null, 0o600, 0, "Created the key of a new fleet"],
    ["says that it is there", good, 0o600, 0, "is there already"],
    ["says that it is damaged", good.slice(9), 0o600, 1, "is damaged: it does not contain 32 bytes"],
    ["says what to do about a damaged one", "", 0o600, 1, "Copy it from another machine of the fleet"],
    ["says that others can read it", good, 0o644, 1, "chmod 600"],
  ])("%s", async (_, text, mode, code, message) => {
    const homedir = temporaryFolder();
    mkdirSync(join(homedir, ".troupe"));
    if (text !== null) writeFileSync(join(homedir, ".troupe/fleet-key"), text, { mode });
    const io = new FakeIO({ homedir });
    expect(await main(["runners", "key"], io, new FakeRuntime())).toBe(code);
    expect(io.err.text).toContain(message);
  });

  it.each(["/", "~/"])(
    "is where troupe.runners.key says (from %s), and troupe.runners.engine is the engine of all commands about runners",
    async (from) => {
      const homedir = temporaryFolder();
      const key = join(homedir, "keys", "fleet");
      mkdirSync(join(homedir, ".claude"));
      mkdirSync(join(homedir, "keys"));
      const given = from === "/" ? key : "~/keys/fleet";
      const settings = { troupe: { runners: { key: given, engine: "redis://localhost:1" } } };
      writeFileSync(join(homedir, ".claude/settings.json"), JSON.stringify(settings));
      const run = async (args: string[]) => {
        const io = new FakeIO({ homedir });
        const code = await main(args, io, new FakeRuntime());
        return { code, out: io.out.text, err: io.err.text };
      };
      expect(await run(["runners", "key"])).toMatchObject({ code: 0, out: `${key}\n` });
      for (const args of [["runners"], ["engine", "ls"]])
        expect(await run(args)).toMatchObject({ code: 1, err: expect.stringContaining("localhost:1") });
    },
  );
});
