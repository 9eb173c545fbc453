import { expect, test } from "vitest";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import type { Behaviour, PermissionMode, Rule } from "../../../src/settings/permissions.ts";
import { ownPlace } from "./workspace.ts";

const odd = "Get-ChildItem | % { $_.Name.Split('(')[0] }";

function judge(command: string, rules: Partial<Record<Behaviour, string>>, mode: PermissionMode = "default") {
  const { project, home } = ownPlace();
  const all = Object.entries(rules).map(([behaviour, text]) => ({ behaviour, text, scope: "user" }) as Rule);
  const anchors = { projectRoot: project, home, platform: "win32", shell: "powershell" } as const;
  return engineOf(all, anchors).judge(mode, project, "Bash", { command }, { enforced: true });
}

test.each<[string, Partial<Record<Behaviour, string>>, PermissionMode]>([
  ["pwd", {}, "default"],
  ["ls; rm x", { allow: "Bash(ls; rm:*)" }, "default"],
  ["npm test", { allow: "Bash(npm test:*)" }, "default"],
  ["npm test", { allow: "Bash(npm *)" }, "default"],
  ["npm test", { allow: "Bash" }, "default"],
  ["npm test; npm test", { allow: "Bash(npm test)" }, "default"],
  ["mkdir a", {}, "acceptEdits"],
  ["npm test", { allow: "Bash(npm test)" }, "plan"],
  ["npm test", { allow: "Bash(npm test)", ask: "Bash(npm:*)" }, "default"],
  [".git/hooks/x > .git/config", { allow: "Bash(.git/hooks/x > .git/config)" }, "default"],
])("in PowerShell %j with %j is a question in mode %s (A22.31)", (command, rules, mode) => {
  expect(judge(command, rules, mode).decision).toBe("ask");
});

test.each<[string, string]>([
  ["npm test", "Bash(npm test)"],
  ["ls | % Name", "Bash(ls | % Name)"],
])("in PowerShell %j is allowed by a rule for exactly this command (A22.31)", (command, allow) => {
  expect(judge(command, { allow })).toMatchObject({ decision: "allow", tier: "rule", rule: { text: allow } });
});

test.each(["pwd", odd])(
  "in PowerShell the question for %j offers a rule for exactly this command",
  (command) => {
    const { grants, reason } = judge(command, {});
    expect(reason).toContain("PowerShell");
    expect(judge(command, { allow: grants[0] ?? "" }).decision).toBe("allow");
  },
);

test("in PowerShell rules still deny, and dontAsk refuses", () => {
  expect(judge("npm test; rm x", { deny: "Bash(rm:*)" }).decision).toBe("deny");
  expect(judge("pwd", {}, "dontAsk").decision).toBe("deny");
});
