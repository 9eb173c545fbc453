import { expect, test } from "vitest";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import { sandboxRules } from "../../../src/policy/sandbox/patterns.ts";

const denied = {
  denyRead: ["~/**/*.pem", "/work/keys", "~/letters", "/work/{a,b}/x", "/"],
  denyWrite: ["/work/**/*.lock", "/work"],
};
const rules = sandboxRules(denied, "/home/me", ["/work"]);
const engine = engineOf(rules, { projectRoot: "/work", home: "/home/me", platform: "linux" });

test.each([
  ["Read", "/home/me/a/b.pem", "deny"],
  ["Read", "/home/me/letters/one", "deny"],
  ["Read", "keys/a", "deny"],
  ["Read", "b/x", "deny"],
  ["Edit", "keys/a", "deny"],
  ["Edit", "deep/a.lock", "deny"],
  ["Read", "deep/a.lock", "allow"],
  ["Read", "c/x", "allow"],
  ["Edit", "a.txt", "allow"],
])(
  "holds for file tools what the sandbox forbids, and leaves the workspace itself: %s %s is %s",
  (tool, file_path, decision) => {
    expect(engine.judge("acceptEdits", "/work", tool, { file_path }).decision).toBe(decision);
  },
);
