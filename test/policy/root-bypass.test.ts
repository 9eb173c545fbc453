import { expect, test } from "vitest";
import { whyNotAsRoot } from "../../src/policy/root-bypass.ts";

const root = { uid: 0, env: {}, contained: false };

test("root outside of a container may not switch every check off, unless it is said that this is a sandbox", () => {
  expect(whyNotAsRoot("bypassPermissions", root)).toContain("IS_SANDBOX=1");
  expect(whyNotAsRoot("bypassPermissions", { ...root, env: { IS_SANDBOX: "0" } })).not.toBeNull();
  expect(whyNotAsRoot("bypassPermissions", { ...root, env: { IS_SANDBOX: "1" } })).toBeNull();
  expect(whyNotAsRoot("bypassPermissions", { ...root, contained: true })).toBeNull();
  expect(whyNotAsRoot("bypassPermissions", { ...root, uid: 1000 })).toBeNull();
  expect(whyNotAsRoot("bypassPermissions", { ...root, uid: null })).toBeNull();
  expect(whyNotAsRoot("acceptEdits", root)).toBeNull();
});
