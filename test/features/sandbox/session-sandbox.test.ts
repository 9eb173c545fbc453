import { describe, expect, onTestFinished, test, vi } from "vitest";
import { builderOptions, lackOf } from "../../../src/features/sandbox/index.ts";
import { defaultSandboxSettings } from "../../../src/policy/sandbox/sandbox.ts";
import { whyNoBubblewrap } from "../../policy/sandbox/opened.ts";
import { unless } from "../../support/needs.ts";
import { everyDayHosts, type HostName, supervised } from "../../support/supervised.ts";

test("variables of settings do not move the user's settings directory, which is hidden and held", () => {
  vi.stubEnv("CLAUDE_CONFIG_DIR", "/home/me/conf");
  onTestFinished(() => void vi.unstubAllEnvs());
  const processes = { run: () => Promise.reject(new Error("nothing runs")) };
  const given = { cwd: "/work", env: { CLAUDE_CONFIG_DIR: "/elsewhere" } };
  const { env } = builderOptions(given, { home: "/home/me/.troupe", processes });
  expect(env["CLAUDE_CONFIG_DIR"]).toBe("/home/me/conf");
});

const delegating = [
  {
    calls: [
      { name: "Agent", input: { description: "a task", prompt: "look", subagent_type: "general-purpose" } },
    ],
  },
  { text: "report" },
  { text: "done" },
];

/** Bash as main and the agent below it are offered it, and what was warned of. */
async function offered(host: HostName, sandbox?: { readonly mode: "on" | "required" }) {
  const { supervisor, model, events } = supervised(host, delegating, sandbox ? { sandbox } : {});
  await supervisor.prompt("go");
  const texts = model.requests
    .slice(0, 2)
    .map(({ tools }) => tools.find(({ name }) => name === "Bash")?.description ?? "");
  const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  return { texts, warnings };
}

describe.each(everyDayHosts)("the sandbox in an agent's prompt, %s", (host) => {
  test("ends the Bash prompt with its policy, the same for every agent (A4.6)", {
    ...unless(whyNoBubblewrap),
    tags: ["long"],
  }, async () => {
    const without = (await offered(host)).texts[0] ?? "";
    expect(without).not.toContain("allowOnly");
    const { texts } = await offered(host, { mode: "on" });
    expect(texts[1]).toBe(texts[0]);
    // Another session, in another directory: what the model is told stays in its cache (A4.7).
    expect((await offered(host, { mode: "on" })).texts).toEqual(texts);
    const [intro, told = ""] = (texts[0] ?? "").split(`${without}\n\n`);
    expect(intro).toBe("");
    const policy: unknown = JSON.parse(told.split("\n").find((line) => line.startsWith("{")) ?? "");
    expect(policy).toEqual({
      read: { denyOnly: expect.any(Array), allowWithinDeny: expect.any(Array) },
      write: { allowOnly: ["the workspace", "$TMPDIR"], denyWithinAllow: expect.any(Array) },
    });
  });

  // The system's own directories are searched whatever PATH says.
  test.each(["on", "required"] as const)(
    "if it is %s and not available, it is said once at the start, and Bash is as ever",
    unless(whyNoBubblewrap?.includes("there is no bubblewrap") ? null : "there is a sandbox here"),
    async (mode) => {
      const without = (await offered(host)).texts;
      const { texts, warnings } = await offered(host, { mode });
      expect(texts).toEqual(without);
      expect(warnings).toEqual([expect.stringMatching(/^There is no sandbox here, .*bubblewrap/)]);
      expect(warnings[0]).toContain(mode === "on" ? "is a question" : "no command will run");
    },
  );
});

test("reports only what a sandbox does not confine", () => {
  const settings = { ...defaultSandboxSettings, mode: "on" } as const;
  expect(lackOf(settings, { state: "enforced", reason: "" })).toBeNull();
  expect(lackOf(settings, { state: "partial", reason: "Signals pass." })).toBe(
    "The sandbox does not hold everything. Signals pass.",
  );
});
