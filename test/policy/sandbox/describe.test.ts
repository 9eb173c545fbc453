import { expect, test } from "vitest";
import { describedPolicy } from "../../../src/policy/sandbox/describe.ts";

const described = {
  writable: ["/repo", "/repo", "/more"],
  readable: ["/home/me/.troupe/outputs"],
  temporary: "/tmp/troupe-sandbox-x/tmp",
  denyRead: ["/home/me/.ssh", "/home/me/.ssh"],
  allowedDomains: [] as readonly string[],
  canLeave: true,
};

test("the policy is told as JSON of the seed's shape, each path once, the folder for temporary files by its name (A4.6)", () => {
  const lines = describedPolicy(described).split("\n");
  const json = lines.find((line) => line.startsWith("{")) ?? "";
  const policy: unknown = JSON.parse(json);
  expect(policy).toEqual({
    read: { denyOnly: ["/home/me/.ssh"], allowWithinDeny: ["/home/me/.troupe/outputs"] },
    write: {
      allowOnly: ["/repo", "/more", "$TMPDIR"],
      denyWithinAllow: expect.arrayContaining(["/repo/.claude"]),
    },
  });
  expect(json).not.toContain("troupe-sandbox-x");
});

test("network and way out are told as they are", () => {
  expect(describedPolicy(described)).toContain("no network");
  expect(describedPolicy(described)).toContain("asks the person");
  const closed = describedPolicy({ ...described, allowedDomains: ["a.org", "a.org"], canLeave: false });
  expect(closed).toContain("reaches only: a.org.");
  expect(closed).toContain("not honoured");
});
