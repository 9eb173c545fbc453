import { expect, it } from "vitest";
import { secretPaths } from "../../../src/policy/sandbox/denied-paths.ts";

it("the user's settings are hidden from commands, as their env may have a token", () => {
  const paths = secretPaths({ home: "/home/me", troupeHome: "/home/me/.troupe", denyRead: [] });
  expect(paths).toContain("/home/me/.claude/settings.json");
  expect(paths).toContain("/home/me/.claude/settings.local.json");
});
