// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkProblem } from "../../../src/context/agents/check-problem.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { long } from "../../support/long.ts";
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

const rootOf = ({ system }: ModelRequest) => /Working directory: (.+)/.exec(system.join("\n"))?.[1] ?? "";
const write = (request: ModelRequest, path: string, content: string): ScriptedTurn => ({
  calls: [{ name: "Write", input: { file_path: join(rootOf(request), path), content } }],
});
const hasWritten = (request: ModelRequest) => textsOf(request).includes("was created");
const REJECTED = "is not accepted";

const host = shippedHosts[0] ?? "worker threads";

/** A repository whose user has allowed what checks need. */
async function session(
  script: (request: ModelRequest) => ScriptedTurn,
  options: Partial<SupervisorOptions> = {},
) {
  const repository = await repositoryWith({ "a.txt": "one\n" });
  const made = supervised(host, script, {
    ...{ cwd: repository.folder, permissionMode: "acceptEdits", allowedTools: ["Bash"] },
    ...options,
  });
  return { ...made, repository, folder: repository.folder };
}

const worker = (prompt: string, accept: object, more: object = {}) => ({
  ...{ type: "general-purpose", description: prompt, prompt, accept, ...more },
});
const isolated = { isolation: "worktree" as const };

describe("what is stated of an agent's work (issue 19, 5)", () => {
  const COUNT = long(50, 1);
  test(`${COUNT} agents that lie and ${COUNT} that do not: no wrong verdict, and no rejected edit in the checkout`, {
    timeout: 1_800_000,
  }, async () => {
    const { supervisor, folder, repository } = await session(
      (request) => {
        const [, kind, n] = /(lies|works) (\d+)/.exec(textsOf(request)) ?? [];
        if (kind === "lies" && textsOf(request).includes(REJECTED))
          return { text: "All of it works now, I checked." };
        if (hasWritten(request)) return { text: "Done: the tests pass." };
        return write(request, `${kind}${n}.txt`, kind === "works" ? "right\n" : "wrong\n");
      },
      { limits: { maxAgents: 8, patienceMs: 0, sameFailures: 0 } },
    );
    const before = await repository.must(["status", "--porcelain"]);
    const kinds = ["lies", "works"] as const;
    const all = Array.from({ length: COUNT }, (_, n) => kinds.map((kind) => ({ kind, n }))).flat();
    const results = await Promise.all(
      all.map(({ kind, n }) =>
        supervisor.spawn(worker(`${kind} ${n}`, { run: `grep -q right ${kind}${n}.txt` }, isolated)),
      ),
    );
    for (const [at, { summary }] of results.entries()) {
      const { kind, n } = all[at] ?? { kind: "", n: 0 };
      expect([kind, summary.acceptance?.verdict]).toEqual([kind, kind === "works" ? "accepted" : "rejected"]);
      expect([kind, summary.status]).toEqual([kind, kind === "works" ? "done" : "failed"]);
      expect([kind, summary.worktree?.outcome]).toEqual([kind, kind === "works" ? "merged" : "kept"]);
      expect([kind, n, existsSync(join(folder, `${kind}${n}.txt`))]).toEqual([kind, n, kind === "works"]);
    }
    const after = (await repository.must(["status", "--porcelain"]))
      .split("\n")
      .filter((line) => !/works\d+/.test(line));
    expect(after.join("\n")).toBe(before);
  });

  test("rejected work goes back with the output of the check, and is accepted once it is right", async () => {
    const asked: string[] = [];
    const { supervisor, folder } = await session((request) => {
      const said = textsOf(request);
      if (said.includes(REJECTED)) {
        asked.push(said.slice(said.indexOf("Your work was checked")));
        return said.includes("was overwritten") || said.split("was created").length > 2
          ? { text: "Corrected." }
          : write(request, "b.txt", "right\n");
      }
      return hasWritten(request) ? { text: "Done." } : write(request, "c.txt", "wrong\n");
    });
    const { summary } = await supervisor.spawn(
      worker("work", { run: "echo looking for b; cat b.txt", files: ["c.txt"] }, isolated),
    );
    expect(summary).toMatchObject({ status: "done", acceptance: { verdict: "accepted", checks: 2 } });
    expect(asked[0]).toContain("ended with exit code 1. Its output ends with:\nlooking for b");
    expect(asked[0]).toContain("It is checked 2 more times.");
    expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("right\n");
  });

  test("without a worktree the check runs where the agent works; the edits are there, and the result says rejected", async () => {
    const { supervisor, folder } = await session((request) =>
      hasWritten(request) ? { text: "Done." } : write(request, "new.txt", "wrong\n"),
    );
    const { summary } = await supervisor.spawn(worker("work", { run: "grep -q right new.txt" }));
    expect(summary).toMatchObject({
      ...{
        status: "failed",
        text: "Done.",
        reason: expect.stringMatching(/^Its work was rejected\. The check/),
      },
      acceptance: { verdict: "rejected", checks: 3 },
    });
    expect(existsSync(join(folder, "new.txt"))).toBe(true);
  });

  test.each([
    ["hangs", "tail -f /dev/null", /did not end within 1\.5 s/],
    ["is killed", "kill -9 $$", /ended|killed|signal/i],
    ["is no command", "no-such-command-here", /exit code 127/],
    ["fails with much output", "yes | head -c 300000; exit 3", /exit code 3/],
  ])("a check that %s rejects", async (_, run, words) => {
    const { supervisor } = await session(() => ({ text: "Done." }), {
      worktree: { checkTimeoutMs: 1_500 },
    });
    const { summary } = await supervisor.spawn(worker("work", { run }, isolated));
    expect(summary).toMatchObject({ status: "failed", acceptance: { verdict: "rejected" } });
    expect(summary.acceptance?.reason).toMatch(words);
    expect(summary.acceptance?.reason?.length).toBeLessThan(3_000);
  });

  test("a check that writes and forks leaves nothing in the edits that are merged, and no process", async () => {
    const { supervisor, folder } = await session((request) =>
      hasWritten(request) ? { text: "Done." } : write(request, "new.txt", "right\n"),
    );
    const run = "echo changed > new.txt; echo more > made-by-check.txt; (sleep 300 & ) ; test -f new.txt";
    const { summary } = await supervisor.spawn(worker("work", { run }, isolated));
    expect(summary).toMatchObject({ status: "done", acceptance: { verdict: "accepted" } });
    expect(readFileSync(join(folder, "new.txt"), "utf8")).toBe("right\n");
    expect(existsSync(join(folder, "made-by-check.txt"))).toBe(false);
  });

  test("a check sees the edits merged with what the user has changed since", async () => {
    const { supervisor, repository } = await session((request) => {
      if (hasWritten(request)) return { text: "Done." };
      repository.write({ "mine.txt": "of the user\n" });
      return write(request, "new.txt", "right\n");
    });
    const run = "grep -q user mine.txt && grep -q right new.txt";
    const { summary } = await supervisor.spawn(worker("work", { run }, isolated));
    expect(summary).toMatchObject({ status: "done", acceptance: { verdict: "accepted", checks: 1 } });
  });

  test("an exit code other than 0, and text that must be printed, can be asked for", async () => {
    const { supervisor } = await session(() => ({ text: "Done." }));
    const verdict = async (accept: object) =>
      (await supervisor.spawn(worker("work", accept))).summary.acceptance?.verdict;
    expect(await verdict({ run: "exit 3", expect: { exit: 3 } })).toBe("accepted");
    expect(await verdict({ run: "printf '12 passed'", expect: { output: "12 passed" } })).toBe("accepted");
    expect(await verdict({ run: "printf '0 passed'", expect: { output: "12 passed" } })).toBe("rejected");
  });

  test("a check that the user has not allowed runs nowhere: the agent does not even start", async () => {
    const { supervisor, model, folder } = await session(() => ({ text: "Done." }), {
      ...{ allowedTools: [], disallowedTools: ["Bash(touch:*)"] },
    });
    const { summary } = await supervisor.spawn(worker("work", { run: "touch here" }));
    expect(summary).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("`touch here` was not run"),
    });
    expect(model.requests).toHaveLength(0);
    expect(existsSync(join(folder, "here"))).toBe(false);
  });

  test("the user is asked for a check before the agent starts, and once", async () => {
    const asked: string[] = [];
    const { supervisor } = await session(() => ({ text: "Done." }), {
      ...{ allowedTools: [], sandbox: { mode: "off" }, limits: { maxAgents: 1, patienceMs: 0 } },
      person: {
        async ask(request) {
          asked.push(request.type);
          return { type: "allow", span: "once" };
        },
      },
    });
    const spawns = [1, 2].map((n) =>
      supervisor.spawn(worker(`work ${n}`, { run: `node -e 'process.exit(${n - 1})'` })),
    );
    const [right, wrong] = await Promise.all(spawns);
    expect(right?.summary.acceptance).toMatchObject({ verdict: "accepted" });
    expect(wrong?.summary.acceptance).toMatchObject({ verdict: "rejected", checks: 3 });
    expect(asked).toEqual(["permission", "permission"]);
  });

  test("a model's Agent call states it too, and reads the verdict", async () => {
    const { supervisor } = await session((request) => {
      const said = textsOf(request);
      if (request.actor !== "main") return { text: "Done, and tested." };
      if (said.includes("ended")) return { text: said };
      const input = {
        description: "work",
        prompt: "work",
        subagent_type: "general-purpose",
        accept: { run: "test -f b.txt" },
      };
      return { calls: [{ name: "Agent", input }] };
    });
    const { summary } = await supervisor.prompt("go");
    expect(summary.text).toMatch(
      /ended: failed \(Its work was rejected\. The check `test -f b\.txt` ended with exit code 1/,
    );
  });
});

test.each([
  [{ run: " " }, /passes whatever/],
  [{ run: "true" }, /passes whatever/],
  [{ run: "# npm test" }, /passes whatever/],
  [{ run: "exit 0" }, /passes whatever/],
  [{ run: "echo ok" }, /passes whatever/],
  [{}, /says nothing/],
  [{ expect: { exit: 0 } }, /expect without run/],
  [{ run: "(true)" }, /passes whatever/],
  [{ run: "npm test || true" }, /passes whatever/],
  [{ run: "npm test; exit 0" }, /passes whatever/],
  [{ run: "npm test\necho done" }, /passes whatever/],
  [{ run: "npm test || true", expect: { output: "12 passed" } }, null],
  [{ run: "npm test && echo ok" }, null],
  [{ run: "test -f a || exit 1; echo ok" }, null],
  [{ run: "set -e; npm test; echo ok" }, null],
  [{ run: "npm test" }, null],
  [{ run: "true && npm test" }, null],
  [{ run: "test -f a" }, null],
  [{ files: ["a"] }, null],
])("%j states something, or is refused", (accept, problem) => {
  if (problem === null) expect(checkProblem(accept)).toBeNull();
  else expect(checkProblem(accept)).toMatch(problem);
});

test("a command of a thousand words is read in a moment", () => {
  const began = performance.now();
  expect(checkProblem({ run: `${"echo true ; ".repeat(800)}npm test` })).toBeNull();
  expect(performance.now() - began).toBeLessThan(1_000);
});

test.each([
  [{ run: 5 }, /accept\.run: /],
  [{ run: "true" }, /passes whatever was done/],
  [{ files: "a" }, /accept\.files: /],
  [{ schema: { type: "no such type" } }, /no JSON Schema/],
  [{ runs: "npm test" }, /accept/],
])("a spawn with %j starts nothing", async (accept, words) => {
  const { supervisor, model } = await session(() => ({ text: "Done." }));
  await expect(supervisor.spawn(worker("work", accept))).rejects.toThrow(words);
  expect(model.requests).toHaveLength(0);
});
