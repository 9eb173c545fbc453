// @module-tag long
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { bash, openFleet, usage, write } from "./fleet.ts";

describe("a session with a runner", () => {
  it("gets the report of an agent and its edits, with what the user had not committed, and pays for it", async () => {
    const { supervisor, cwd, model, start } = await openFleet((root, turn) => {
      switch (turn) {
        case 0:
          return write(join(root, "made.txt"), "by an agent\n");
        case 1:
          return bash("cat made.txt draft.txt > copy.txt; chmod +x copy.txt; rm b.txt; mv a.txt moved.txt");
        default:
          return { text: "It is copied.", usage };
      }
    });
    writeFileSync(join(cwd, "draft.txt"), "not committed\n");
    await start("r1");
    const { summary } = await supervisor.prompt("go");
    expect(summary.status).toBe("done");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("It is copied.");
    expect(readFileSync(join(cwd, "copy.txt"), "utf8")).toBe("by an agent\nnot committed\n");
    expect(statSync(join(cwd, "copy.txt")).mode & 0o100).toBe(0o100);
    expect(readdirSync(cwd).sort()).toEqual([".git", "copy.txt", "draft.txt", "made.txt", "moved.txt"]);
    // Two turns of the conversation, three of the agent.
    expect(supervisor.usage().usage.input_tokens).toBe(500);
    const agent = supervisor.tree().find(({ description }) => description === "edit");
    expect(agent?.runner).toBe("r1");
    // Its runner removes it after it has sent everything.
    await vi.waitUntil(() => !existsSync(`/var/tmp/troupe/${supervisor.session}`), { timeout: 20_000 });
  });

  it("continues an agent of a runner that drains on another one, with its files", async () => {
    const ready = temporaryFolder();
    const { supervisor, cwd, start } = await openFleet((_, turn) =>
      turn < 2
        ? bash(`echo ${turn} >> turns; touch ${ready}/${turn}; until [ -e ${ready}/go ]; do sleep 0.05; done`)
        : { text: "done", usage },
    );
    const first = await start("r1");
    const ending = supervisor.prompt("go");
    await vi.waitUntil(() => existsSync(join(ready, "0")), { timeout: 20_000 });
    await start("r2");
    first.drain();
    writeFileSync(join(ready, "go"), "");
    await first.ended;
    expect((await ending).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "turns"), "utf8")).toBe("0\n1\n");
  });

  it.each([
    ["in its call", false, false],
    ["at its end", true, false],
    ["before it ends after its first attempt", false, true],
  ])("runs agents of an agent that waits for them %s in its only slot", async (_, isDetached, once) => {
    const roots = new Set<string>();
    const { supervisor, cwd, start } = await openFleet((root, turn) => {
      roots.add(root);
      const depth = [...roots].indexOf(root);
      const input = { description: "deeper", prompt: "go on", run_in_background: isDetached };
      if (turn === 0 && depth === 0) return { calls: [{ name: "Agent", input }], usage };
      if (turn === 0) return write(join(root, "deep.txt"), "made\n");
      return { text: `level ${depth} is done`, usage };
    });
    const runner = await start("r1", { slots: 1, once });
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "deep.txt"), "utf8")).toBe("made\n");
    expect(roots.size).toBe(2);
    if (once) await runner.ended;
  });

  it("has the edits of an agent that it has started, and they stay when its own are merged", async () => {
    const roots = new Set<string>();
    const { supervisor, cwd, start } = await openFleet((root, turn) => {
      roots.add(root);
      const isInner = [...roots].indexOf(root) === 1;
      if (isInner) return turn === 0 ? write(join(root, "inner.txt"), "inner\n") : { text: "done", usage };
      switch (turn) {
        case 0:
          return write(join(root, "first.txt"), "first\n");
        case 1:
          return { calls: [{ name: "Agent", input: { description: "inner", prompt: "go on" } }], usage };
        case 2:
          return bash("cat first.txt inner.txt > seen.txt; sed -i s/two/outer/ a.txt");
        default:
          return { text: "done", usage };
      }
    });
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "inner.txt"), "utf8")).toBe("inner\n");
    expect(readFileSync(join(cwd, "seen.txt"), "utf8")).toBe("first\ninner\n");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\nouter\nthree\n");
  });

  it("lets a PermissionRequest hook answer what it could answer for a local agent, and no more", async () => {
    const place = temporaryFolder();
    const answer = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`;
    const command = `echo >> ${place}/asked; echo '${answer}'`;
    const { supervisor, start } = await openFleet(
      (_, turn) => (turn < 2 ? bash(`touch ${place}/${turn ? "two" : "one"}`) : { text: "done", usage }),
      {
        allowedTools: [],
        rules: [{ text: "Bash(touch *two)", behaviour: "ask", scope: "user" }],
        hooks: [
          {
            scope: "user",
            file: "/u/settings.json",
            value: { PermissionRequest: [{ matcher: "", hooks: [{ type: "command", command }] }] },
          },
        ],
      },
    );
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    // A rule that asks is answered by the user alone, and there is none.
    expect(readdirSync(place).sort()).toEqual(["asked", "one"]);
    expect(readFileSync(join(place, "asked"), "utf8")).toBe("\n\n");
  });

  it("sends a conflict back to the agent, which resolves it in its files on the runner", async () => {
    const { supervisor, cwd, start } = await openFleet((root, turn) => {
      switch (turn) {
        case 0:
          // The user, while it works: the agent may not.
          writeFileSync(join(cwdOf(), "a.txt"), "one\nuser\nthree\n");
          return bash("sed -i s/two/agent/ a.txt");
        case 1:
          return { text: "edited", usage };
        case 2:
          return bash("cat a.txt");
        case 3:
          return write(join(root, "a.txt"), "one\nuser and agent\nthree\n");
        default:
          return { text: "resolved", usage };
      }
    });
    const cwdOf = () => cwd;
    await start("r1");
    const { summary } = await supervisor.prompt("go");
    expect(summary.status).toBe("done");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\nuser and agent\nthree\n");
  });

  it("starts no agent where it has no repository, and says why", async () => {
    const { supervisor, model } = await openFleet(() => ({ text: "never", usage }), {
      cwd: temporaryFolder(),
    });
    await supervisor.prompt("go");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("takes a git repository along");
  });

  it("does not mention the worktree of an agent that only reads", async () => {
    const { supervisor, model, start } = await openFleet(
      () => ({ text: "It is read.", usage }),
      {},
      { subagent_type: "Explore" },
    );
    await start("r1");
    await supervisor.prompt("go");
    const told = JSON.stringify(model.requests.at(-1)?.messages);
    expect(told).toContain("It is read.");
    expect(told).not.toContain("no edits");
  });

  const mayNot = process.getuid?.() === 0 ? null : "only root may start processes as another user";
  it("starts no agent that writes on a runner with --agent-user, and says why", unless(mayNot), async () => {
    const { supervisor, model, start } = await openFleet(() => ({ text: "never", usage }));
    await start("r1", { user: { name: "nobody", uid: 65_534, gid: 65_534, home: "/nonexistent" } });
    await supervisor.prompt("go");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(
      /Runner r1 runs agents as the user nobody \(--agent-user\).*Edit, Write|Write, Edit/,
    );
  });

  it("reports once what a runner leaves out of an agent's edits", async () => {
    const { supervisor, start, events } = await openFleet((_, turn) =>
      turn < 2 ? bash("ln -sf /etc/hostname out; date > made.txt") : { text: "done", usage },
    );
    await start("r1");
    await supervisor.prompt("go");
    const warnings = events.flatMap((one) => (one.type === "warning" ? one.message : []));
    expect(warnings.filter((one) => one.includes("symbolic link"))).toEqual([
      expect.stringMatching(/on runner r1: out is a symbolic link out of the worktree/),
    ]);
  });
});
