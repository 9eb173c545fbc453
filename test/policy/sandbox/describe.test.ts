import { expect, test } from "vitest";
import { describedPolicy } from "../../../src/policy/sandbox/sandbox.ts";

const described = {
  writable: ["/home/me/repo", "/home/me/repo", "/more"],
  readable: ["/home/me/.troupe/projects/p/sessions/3f2a/outputs"],
  ...{ home: "/home/me", troupeHome: "/home/me/.troupe", temporary: "/tmp/troupe-sandbox-x/tmp" },
  denyRead: ["/home/me/.ssh", "/home/me/.ssh", "/home/me/.troupe", "/etc/shadow"],
  allowedDomains: [] as readonly string[],
  canLeave: true,
};

test("formats the policy as JSON of the seed's shape (A4.6), with no home and no session in it (A4.7)", () => {
  const text = describedPolicy(described);
  const json = text.split("\n").find((line) => line.startsWith("{")) ?? "";
  const policy: unknown = JSON.parse(json);
  expect(policy).toEqual({
    read: {
      denyOnly: ["~/.ssh", "Troupe's own directory", "/etc/shadow"],
      allowWithinDeny: ["output of your own commands"],
    },
    write: {
      allowOnly: ["the workspace", "/more", "$TMPDIR"],
      denyWithinAllow: expect.arrayContaining(["the workspace/.claude"]),
    },
  });
  expect(text).not.toMatch(/troupe-sandbox-x|\/home\/me|3f2a/);
});

test("describes network and exceptions as they are", () => {
  expect(describedPolicy(described)).toContain("no network");
  expect(describedPolicy(described)).toContain("asks the user");
  const closed = describedPolicy({ ...described, allowedDomains: ["a.org", "a.org"], canLeave: false });
  expect(closed).toContain("reaches only: a.org.");
  expect(closed).toContain("not honoured");
});
