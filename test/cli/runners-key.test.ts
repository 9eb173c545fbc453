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
});
