import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { journalFile } from "../../../src/journal/paths.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { UserRequest } from "../../../src/policy/user-requests.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

const host = shippedHosts[0] ?? "worker threads";
const worker = { name: "worker", whenToUse: "never", prompt: "You work.", tools: "all" } as const;
const asked = { type: "worker", description: "work", prompt: "work" };

function session(options: Partial<SupervisorOptions>, script = (_: ModelRequest) => ({ text: "Done." })) {
  return supervised(host, script, { agents: [worker], ...options });
}

/** What the journal says of the commands of this session. */
function decisions(
  folder: string,
): { readonly decision: string; readonly by: string; readonly input: object }[] {
  const lines = readFileSync(journalFile(folder), "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const { event } = JSON.parse(line);
    return event.type === "before" && event.tool === "Bash" ? [event] : [];
  });
}

test("the user is asked once for a check, before its agent starts, and the journal says who allowed it", async () => {
  const questions: UserRequest[] = [];
  const { supervisor, model } = session({
    person: {
      async ask(request) {
        questions.push(request);
        expect(model.requests).toHaveLength(0);
        return { type: "allow", span: "once" };
      },
    },
  });
  const { summary } = await supervisor.spawn({ ...asked, accept: { run: "touch made && test -f none" } });
  expect(summary).toMatchObject({ acceptance: { verdict: "rejected", checks: 3 } });
  expect(questions).toHaveLength(1);
  await supervisor.close();
  const all = decisions(supervisor.folder);
  expect(all.map(({ decision, by }) => [decision, by])).toEqual(Array(3).fill(["go", "person"]));
});

test("a check runs as a hook has rewritten it", async () => {
  const rewritten = {
    hookSpecificOutput: { permissionDecision: "allow", updatedInput: { command: "touch rewritten" } },
  };
  const value = {
    PreToolUse: [
      { matcher: "Bash", hooks: [{ type: "command", command: `echo '${JSON.stringify(rewritten)}'` }] },
    ],
  };
  const { supervisor, cwd } = session({ hooks: [{ scope: "library", file: "test", value }] });
  const { summary } = await supervisor.spawn({ ...asked, accept: { run: "touch original" } });
  expect(summary.acceptance?.verdict).toBe("accepted");
  expect([existsSync(join(cwd, "original")), existsSync(join(cwd, "rewritten"))]).toEqual([false, true]);
});

test("a check that a hook or a rule denies runs nowhere, though the mode allows all", async () => {
  const { supervisor, cwd, model } = session({
    ...{ permissionMode: "bypassPermissions", disallowedTools: ["Bash(touch:*)"] },
  });
  const { summary } = await supervisor.spawn({ ...asked, accept: { run: "touch made" } });
  expect(summary).toMatchObject({
    status: "failed",
    reason: expect.stringContaining("`touch made` was not run"),
  });
  expect(model.requests).toHaveLength(0);
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("a check in plan mode may only read", async () => {
  const { supervisor, cwd } = session({ permissionMode: "plan" });
  const { summary } = await supervisor.spawn({ ...asked, accept: { run: "touch made" } });
  expect(summary.status).toBe("failed");
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("an agent that has no Bash does not get one by stating a check of another agent", async () => {
  const boss = { ...worker, name: "boss", tools: ["Agent", "Read"] as string[] };
  const script = (request: ModelRequest) => {
    const said = textsOf(request);
    if (!said.startsWith("lead") || said.includes("no Bash")) return { text: said };
    const input = {
      description: "work",
      prompt: "work",
      subagent_type: "worker",
      accept: { run: "touch made" },
    };
    return { calls: [{ name: "Agent", input }] };
  };
  const { supervisor, cwd } = supervised(host, script, {
    ...{ agents: [worker, boss], permissionMode: "bypassPermissions" },
  });
  const { summary } = await supervisor.spawn({ type: "boss", description: "lead", prompt: "lead" });
  expect(summary.text).toContain("accept.run is a command, and you have no Bash");
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("an agent that is stopped while the user is asked about its check ends as cancelled, and its model is never asked", async () => {
  const stopping = new AbortController();
  const { supervisor, model } = session({
    person: {
      async ask(_, signal) {
        stopping.abort();
        const withdrawn = Promise.withResolvers<{ type: "unavailable"; reason: string }>();
        signal.addEventListener("abort", () =>
          withdrawn.resolve({ type: "unavailable", reason: "Withdrawn." }),
        );
        return withdrawn.promise;
      },
    },
  });
  const { summary } = await supervisor.spawn({
    ...asked,
    accept: { run: "touch made" },
    signal: stopping.signal,
  });
  expect(summary.status).toBe("cancelled");
  expect(model.requests).toHaveLength(0);
});
