import fc from "fast-check";
import { expect, test } from "vitest";
import {
  defaultSandboxSettings,
  type SandboxReport,
  type SandboxSettings,
} from "../../../src/policy/sandbox/sandbox.ts";
import { leavesSandbox, runsOutside, sandboxDecision } from "../../../src/policy/sandbox/sandbox-decision.ts";

const inside = { command: "make" };
const outside = { command: "make", dangerouslyDisableSandbox: true };
const settings = (mode: SandboxSettings["mode"], autoAllow = false): SandboxSettings => ({
  ...defaultSandboxSettings,
  ...{ mode, autoAllow },
});
const report = (state: SandboxReport["state"]): SandboxReport => ({ state, reason: "Install it." });

test.each([
  // mode, autoAllow, state, input, read-only: what is said
  ["off", true, null, outside, false, "silent"],
  ["on", false, "enforced", inside, false, "silent"],
  ["on", true, "enforced", inside, false, "allow"],
  ["on", true, "partial", inside, false, "silent"],
  ["on", true, "unavailable", inside, false, "ask"],
  ["on", true, "unavailable", inside, true, "silent"],
  ["on", true, "unavailable", outside, true, "ask"],
  ["on", true, "enforced", outside, true, "ask"],
  ["on", true, "partial", outside, false, "ask"],
  ["required", true, "enforced", inside, false, "allow"],
  ["required", false, "partial", inside, false, "silent"],
  ["required", true, "unavailable", inside, true, "refuse"],
  ["required", true, "enforced", outside, true, "refuse"],
] as const)(
  "%s, autoAllow %s, %s, %o, read-only %s: %s (section 5)",
  (mode, auto, state, input, readOnly, said) => {
    const found = state === null ? null : report(state);
    const word = sandboxDecision(settings(mode, auto), found, { input, readOnly });
    expect(word.type).toBe(said);
    const speaks = said === "ask" || said === "refuse";
    const advice = state === "unavailable" && input === inside ? /^[A-Z].*Install it\..*$/ : /^[A-Z].*\.$/;
    expect("reason" in word ? word.reason : null).toEqual(speaks ? expect.stringMatching(advice) : null);
  },
);

test("is off unless the user switches it on", () => {
  expect(defaultSandboxSettings.mode).toBe("off");
});

test("anything but false is a wish to leave, so that no odd value slips by (CVE-2026-42074)", () => {
  for (const wish of [true, "true", 1, "false", null, {}, []])
    expect(leavesSandbox({ command: "x", dangerouslyDisableSandbox: wish })).toBe(true);
  for (const input of [{ command: "x" }, { dangerouslyDisableSandbox: false }, null, "x", 3])
    expect(leavesSandbox(input)).toBe(false);
});

test("runs a command outside only if it is off or the user was asked", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("on", "required", "off"),
      fc.boolean(),
      fc.constantFrom("enforced", "partial", "unavailable"),
      fc.boolean(),
      (mode, auto, state, leaves) => {
        const input = leaves ? outside : inside;
        const word = sandboxDecision(settings(mode, auto), report(state), { input, readOnly: false });
        if (runsOutside(settings(mode, auto), report(state), input) && mode !== "off")
          expect(word.type).toBe("ask");
        if (mode === "required") expect(runsOutside(settings(mode, auto), report(state), input)).toBe(false);
      },
    ),
    { seed: 8, numRuns: 200 },
  );
});

test("before the probe has answered nothing is outside but what asks for it", () => {
  expect(runsOutside(settings("on"), null, inside)).toBe(false);
});
