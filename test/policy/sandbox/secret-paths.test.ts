import { expect, it } from "vitest";
import { secretPaths } from "../../../src/policy/sandbox/denied-paths.ts";

it("the user's settings are hidden from commands, as their env may have a token", () => {
  const paths = secretPaths({ home: "/home/me", troupeHome: "/home/me/.troupe", denyRead: [], env: {} });
  expect(paths).toContain("/home/me/.claude/settings.json");
  expect(paths).toContain("/home/me/.claude/settings.local.json");
});

it("so are those of another directory that CLAUDE_CONFIG_DIR names", () => {
  const env = { CLAUDE_CONFIG_DIR: "~/work" };
  const paths = secretPaths({ home: "/home/me", troupeHome: "/home/me/.troupe", denyRead: [], env });
  for (const name of [".credentials.json", "settings.json", ".claude.json"])
    expect(paths).toContain(`/home/me/work/${name}`);
});
