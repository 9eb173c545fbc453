import { expect, test } from "vitest";
import { openRules } from "../../../src/features/gate/permissions.ts";
import { rulesFrom, SessionRules } from "../../../src/features/gate/session-rules.ts";

test("where only the organisation's rules count, nothing else allows, not even for the session (issue 20, 7)", () => {
  const managed = rulesFrom(["Read"], "allow", "enterprise");
  const denied = rulesFrom(["WebFetch"], "deny", "cli");
  const rules = new SessionRules(managed, [...rulesFrom(["Edit"], "allow", "cli"), ...denied]);
  rules.grant(["Bash(ls)"]);
  expect(rules.all.map(({ text }) => text)).toEqual(["Read", "Edit", "WebFetch", "Bash(ls)"]);
  rules.replaceSettings(managed, true);
  expect(rules).toMatchObject({ canGrant: false, all: [...managed, ...denied] });
  expect(rules.withLent(rulesFrom(["Bash(make)"], "allow", "session"))).toEqual([...managed, ...denied]);
  rules.grant(["Bash(pwd)"]);
  expect(rules.all).toEqual([...managed, ...denied]);
});

test("a copy of a session has what the user had allowed for it, whatever settings say later", () => {
  const rules = openRules({ grants: ["Bash(make)"] }, []);
  rules.replaceSettings(rulesFrom(["Read"], "allow", "user"));
  expect(rules.all).toContainEqual({ text: "Bash(make)", behaviour: "allow", scope: "session" });
});
