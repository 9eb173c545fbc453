// @module-tag long
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { SupervisorEvent } from "../../../src/events/event.ts";
import type { ActorId } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { operations } from "../../../src/worktrees/operations.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { everyDayHosts, type HostName, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { textsOf } from "../../support/texts-of.ts";
import { groundOf } from "../../support/worktree-ground.ts";

const FILES = { "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", "b.txt": "b\n" };

/** A session over a repository, in the mode that lets agents edit. */
async function sessionIn(
  host: HostName,
  script: (request: ModelRequest, said: string) => ScriptedTurn | Promise<ScriptedTurn>,
  options: Partial<SupervisorOptions> = {},
) {
  const repository = await repositoryWith(FILES);
  const session = supervised(host, (request) => script(request, textsOf(request)), {
    cwd: repository.folder,
    permissionMode: "acceptEdits",
    ...options,
  });
  return { repository, ...session };
}

const at = (request: ModelRequest, path: string) => join(rootOf(request), path);
/** Where the model is told that it works. */
function rootOf({ system }: ModelRequest): string {
  return /Working directory: (.+)/.exec(system.join("\n"))?.[1] ?? "";
}
const write = (file_path: string, content: string) => ({
  calls: [{ name: "Write", input: { file_path, content } }],
});
const read = (file_path: string) => ({ calls: [{ name: "Read", input: { file_path } }] });
const onDisk = ({ folder }: TestRepository, path: string) => readFileSync(join(folder, path), "utf8");
const isolated = (prompt: string) => ({
  ...{ type: "general-purpose", description: `task ${prompt}`, prompt, isolation: "worktree" as const },
});
/** What must be as it was, whatever agents do. */
async function mine({ must }: TestRepository): Promise<string> {
  const parts = [
    ["rev-parse", "HEAD"],
    ["diff", "--cached"],
    ["worktree", "list"],
    ["branch", "-a"],
    ["stash", "list"],
  ];
  return (await Promise.all(parts.map((args) => must(args)))).join("\n");
}

describe.each(everyDayHosts)("agents with their own worktrees, %s", (host) => {
  test("merges edits next to the user's uncommitted changes, and removes the worktree (A11.6, A16.4, A22.26)", {
    tags: ["long"],
  }, async () => {
    const { repository, supervisor } = await sessionIn(host, (request, said) => {
      if (said.includes("was created")) return { text: "Written." };
      return write(at(request, "new.txt"), "of the agent\n");
    });
    repository.write({ "b.txt": "changed by the person\n", "mine.txt": "mine\n" });
    await repository.must(["add", "b.txt"]);
    const before = await mine(repository);
    const { summary } = await supervisor.spawn(isolated("write"));
    expect(summary).toMatchObject({
      status: "done",
      worktree: { outcome: "merged", files: 1, insertions: 1, deletions: 0 },
    });
    expect(onDisk(repository, "new.txt")).toBe("of the agent\n");
    expect(onDisk(repository, "b.txt")).toBe("changed by the person\n");
    expect(await mine(repository)).toBe(before);
    expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
  });

  test("starts the worktree with the user's uncommitted changes; without an edit it leaves nothing (C12)", async () => {
    const seen: string[] = [];
    const { repository, supervisor } = await sessionIn(host, (request, said) => {
      seen.push(said);
      return said.includes("mine\n") ? { text: "Read." } : read(at(request, "mine.txt"));
    });
    repository.write({ "mine.txt": "mine\n" });
    const before = await mine(repository);
    const { summary } = await supervisor.spawn(isolated("read"));
    expect(summary.worktree).toMatchObject({ outcome: "empty", files: 0 });
    expect(seen.at(-1)).toContain("mine");
    expect(await mine(repository)).toBe(before);
    expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
  });

  test("returns a conflict to its owner, which sees both sides and resolves it (issue 6, 5)", {
    tags: ["long"],
  }, async () => {
    const bothWrote = barrier(2);
    const { repository, supervisor, events } = await sessionIn(host, async (request, said) => {
      const file = at(request, "a.txt");
      if (said.includes("conflict with changes of the checkout")) {
        if (said.split("was overwritten").length > 2) return { text: "Both hold now." };
        if (!said.includes("<<<<<<< troupe")) return read(file);
        return write(file, FILES["a.txt"].replace("four", "four of both, settled"));
      }
      const own = said.startsWith("one") ? "one" : "two";
      if (!said.includes("was overwritten"))
        return write(file, FILES["a.txt"].replace("four", `four of ${own}`));
      await bothWrote();
      return { text: `Changed four, ${own} it is.` };
    });
    const results = await Promise.all([supervisor.spawn(isolated("one")), supervisor.spawn(isolated("two"))]);
    expect(results.map(({ summary }) => summary.worktree?.outcome)).toEqual(["merged", "merged"]);
    expect(results.map(({ summary }) => summary.text)).toContain("Both hold now.");
    expect(onDisk(repository, "a.txt")).toContain("four of both, settled");
    expect(onDisk(repository, "a.txt")).not.toContain("<<<<<<<");
    const merges = events.flatMap((event) => (event.type === "merge" ? [SupervisorEvent.parse(event)] : []));
    const ofAgents = Map.groupBy(merges, (event) => "actor" in event && event.actor);
    const steps = [...ofAgents.values()].map((all) => all.map((event) => "state" in event && event.state));
    expect(steps.toSorted((one, other) => one.length - other.length)).toEqual([
      ["started", "ended"],
      ["started", "conflict", "started", "ended"],
    ]);
    expect(merges).toContainEqual(expect.objectContaining({ state: "conflict", conflicts: ["a.txt"] }));
    expect(merges.at(-1)).toMatchObject({ state: "ended", result: { outcome: "merged" } });
  });

  test("keeps an unresolved conflict on its branch after two tries, and names file and lines", {
    tags: ["long"],
  }, async () => {
    const bothWrote = barrier(2);
    let asked = 0;
    const { repository, supervisor } = await sessionIn(host, async (request, said) => {
      if (said.includes("Your edits conflict")) {
        asked += 1;
        return { text: "I leave it as it is." };
      }
      const own = request.actor;
      if (!said.includes("was overwritten"))
        return write(at(request, "a.txt"), FILES["a.txt"].replace("four", own));
      await bothWrote();
      return { text: "Changed." };
    });
    const results = await Promise.all([supervisor.spawn(isolated("one")), supervisor.spawn(isolated("two"))]);
    const trees = results.map(({ summary }) => summary.worktree);
    expect(trees.map((tree) => tree?.outcome).toSorted()).toEqual(["conflict", "merged"]);
    const conflict = trees.find((tree) => tree?.outcome === "conflict");
    expect(conflict?.conflicts).toMatchObject([{ path: "a.txt" }]);
    expect(asked).toBe(2);
    const branch = conflict?.branch ?? "";
    expect(await repository.must(["branch", "--list", branch])).toContain(branch);
    expect(onDisk(repository, "a.txt")).not.toContain("<<<<<<<");
    // As its owner left it: whoever goes on there finds both sides.
    expect(await repository.must(["show", `${branch}:a.txt`])).toContain("<<<<<<<");
    expect(conflict?.reason).toContain("markers");
  });

  test("keeps a failed agent's edits on its branch, and its result says where (C10)", {
    tags: ["long"],
  }, async () => {
    const { repository, supervisor } = await sessionIn(host, (request, said) =>
      said.includes("was created")
        ? { failure: { kind: "server", message: "The model is gone." } }
        : write(at(request, "new.txt"), "of the agent\n"),
    );
    const { summary } = await supervisor.spawn(isolated("write"));
    expect(summary).toMatchObject({ status: "failed", worktree: { outcome: "kept", files: 1 } });
    expect(existsSync(join(repository.folder, "new.txt"))).toBe(false);
    const { branch = "", path = "" } = summary.worktree ?? {};
    expect(await repository.must(["show", `${branch}:new.txt`])).toBe("of the agent\n");
    expect(readFileSync(join(path, "new.txt"), "utf8")).toBe("of the agent\n");
  });

  test("refuses a write to the checkout, and names the right path (C11)", {
    tags: ["long"],
  }, async () => {
    const { repository, supervisor } = await sessionIn(host, (_, said) => {
      if (said.includes("of its own") || said.includes("of your own: write")) return { text: said };
      return write(join(repository.folder, "b.txt"), "leaked\n");
    });
    const { summary } = await supervisor.spawn(isolated("leak"));
    expect(onDisk(repository, "b.txt")).toBe("b\n");
    expect(summary.text).toContain(join(repository.folder, ".claude/worktrees"));
    expect(summary.worktree?.outcome).toBe("empty");
  });

  test("commit: one commit with the report as its message, on what HEAD is", { tags: ["long"] }, async () => {
    const { repository, supervisor } = await sessionIn(host, (request, said) =>
      said.includes("was created")
        ? { text: "Wrote the new file." }
        : write(at(request, "new.txt"), "of the agent\n"),
    );
    repository.write({ "b.txt": "not committed\n" });
    const { summary } = await supervisor.spawn({ ...isolated("write"), merge: "commit" });
    expect(summary.worktree).toMatchObject({ outcome: "merged", commit: expect.any(String) });
    expect(await repository.must(["log", "-1", "--format=%B"])).toContain("Wrote the new file.");
    expect((await repository.must(["show", "--stat", "--format=", "HEAD"])).trim()).toContain("new.txt");
    expect(await repository.must(["status", "--porcelain"])).toBe(" M b.txt\n");
  });

  test("keep, and ask without a user: the edits stay on their branch", {
    tags: ["long"],
  }, async () => {
    for (const merge of ["keep", "ask"] as const) {
      const { repository, supervisor } = await sessionIn(host, (request, said) =>
        said.includes("was created") ? { text: "Done." } : write(at(request, "new.txt"), "x\n"),
      );
      const { summary } = await supervisor.spawn({ ...isolated("write"), merge });
      expect(summary.worktree).toMatchObject({
        outcome: "kept",
        reason: expect.stringMatching(merge === "keep" ? /merge: keep/ : /No user could be asked/),
      });
      expect(existsSync(join(repository.folder, "new.txt"))).toBe(false);
    }
  });

  test("runs the check on the merged files, and writes them to the checkout only if it passes", {
    tags: ["long"],
  }, async () => {
    const check = "grep -q person b.txt && ! grep -q bad new.txt";
    const { repository, supervisor } = await sessionIn(
      host,
      (request, said) => {
        if (said.includes("was created")) return { text: "Done." };
        return write(at(request, "new.txt"), said.includes("go bad") ? "bad\n" : "good\n");
      },
      { worktree: { check } },
    );
    const bad = await supervisor.spawn(isolated("go bad"));
    expect(bad.summary.worktree).toMatchObject({ outcome: "kept", reason: expect.stringContaining("check") });
    expect(existsSync(join(repository.folder, "new.txt"))).toBe(false);
    // Of the person, since the tree was made: the check sees what is merged, not what the agent left.
    repository.write({ "b.txt": "of the person\n" });
    const good = await supervisor.spawn(isolated("go well"));
    expect(good.summary.worktree?.outcome).toBe("merged");
    expect(onDisk(repository, "new.txt")).toBe("good\n");
  });

  test("files of a checkout that changes during the check are checked again before they are written (S16)", async () => {
    const repository = await repositoryWith(FILES);
    // The check is good with the checkout as it was, and bad with what it becomes meanwhile.
    const check = `! grep -q meanwhile b.txt && echo meanwhile > '${join(repository.folder, "b.txt")}'`;
    const { supervisor } = await sessionIn(
      host,
      (request, said) =>
        said.includes("was created") ? { text: "Done." } : write(at(request, "new.txt"), "new\n"),
      { cwd: repository.folder, worktree: { check } },
    );
    const { summary } = await supervisor.spawn(isolated("go"));
    expect(onDisk(repository, "b.txt")).toBe("meanwhile\n");
    expect(summary.worktree).toMatchObject({ outcome: "kept", reason: expect.stringContaining("check") });
    expect(existsSync(join(repository.folder, "new.txt"))).toBe(false);
  });

  test("runs the setup command in the worktree before the agent starts; the agent does not start if it fails (C14)", {
    tags: ["long"],
  }, async () => {
    const { supervisor, model } = await sessionIn(
      host,
      (request, said) => (said.includes("ready") ? { text: "It is ready." } : read(at(request, "made.txt"))),
      {
        worktree: {
          setup: { command: "echo ready > made.txt", ready: "test -s made.txt", timeoutMs: 20_000 },
        },
      },
    );
    expect((await supervisor.spawn(isolated("look"))).summary.text).toBe("It is ready.");
    expect(model.requests.length).toBeGreaterThan(0);

    const other = await sessionIn(host, () => ({ text: "never" }), {
      worktree: { setup: { command: "echo no network; exit 3", timeoutMs: 20_000 } },
    });
    const { summary } = await other.supervisor.spawn(isolated("look"));
    expect(summary).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/exit code 3[\s\S]*no network/),
    });
    expect(other.model.requests).toEqual([]);
  });

  test("refuses the agent with one clear sentence outside of a repository", async () => {
    const { supervisor } = supervised(host, () => ({ text: "never" }));
    await expect(supervisor.spawn(isolated("x"))).rejects.toThrow(/git repository/);
    expect(supervisor.tree()).toEqual([]);
  });

  test("creates no worktree if the user does not trust what git would run", async () => {
    const { supervisor } = await sessionIn(host, () => ({ text: "never" }), {
      foreignGit: () => "git would run core.fsmonitor",
    });
    await expect(supervisor.spawn(isolated("x"))).rejects.toThrow(/core\.fsmonitor/);
  });

  test("merges deletions by its own calls; holds back others and names them (C15)", {
    tags: ["long"],
  }, async () => {
    let root = "";
    const { repository, supervisor } = await sessionIn(
      host,
      (request, said) => {
        root = rootOf(request);
        if (said.includes("gone on purpose")) {
          writeFileSync(join(root, "marker"), "");
          return { text: "Deleted." };
        }
        return {
          calls: [{ name: "Bash", input: { command: "rm b.txt && echo gone on purpose", description: "x" } }],
        };
      },
      { permissionMode: "bypassPermissions" },
    );
    const { summary } = await supervisor.spawn(isolated("delete"));
    expect(existsSync(join(repository.folder, "b.txt"))).toBe(false);
    expect(summary.worktree).toMatchObject({ outcome: "merged" });
    expect(summary.worktree).not.toHaveProperty("held");

    const other = await sessionIn(
      host,
      (request, said) => {
        if (said.includes("was created")) return { text: "Done." };
        return write(at(request, "new.txt"), "x\n");
      },
      {
        permissionMode: "bypassPermissions",
        onEvent: (event) => {
          // Somebody else deletes in its tree.
          if (event.type !== "agent" || event.view.turns !== 1) return;
          const [name] = readdirSync(join(other.repository.folder, ".claude/worktrees")).filter(
            (one) => one !== ".gitignore",
          );
          const file = join(other.repository.folder, ".claude/worktrees", name ?? "", "b.txt");
          if (existsSync(file)) unlinkSync(file);
        },
      },
    );
    const held = await other.supervisor.spawn(isolated("write"));
    expect(held.summary.worktree).toMatchObject({ outcome: "merged", held: ["b.txt"] });
    expect(onDisk(other.repository, "b.txt")).toBe("b\n");
    expect(onDisk(other.repository, "new.txt")).toBe("x\n");
  });

  test("merges the edits of a nested agent into its parent's worktree, and both into the checkout (A11.6)", {
    tags: ["long"],
  }, async () => {
    const roots = new Set<string>();
    const { repository, supervisor } = await sessionIn(host, (request, said) => {
      roots.add(rootOf(request));
      if (said.includes("the inner task")) {
        if (said.includes("was created")) return { text: "Inner done." };
        return write(at(request, "inner.txt"), "inner\n");
      }
      if (said.includes("Inner done."))
        return said.includes("outer.txt")
          ? { text: "Outer done." }
          : write(at(request, "outer.txt"), "outer\n");
      return {
        calls: [
          {
            name: "Agent",
            input: {
              description: "inner",
              prompt: "the inner task",
              isolation: "worktree",
              subagent_type: "general-purpose",
            },
          },
        ],
      };
    });
    const { summary } = await supervisor.spawn(isolated("outer"));
    expect(summary.worktree).toMatchObject({ outcome: "merged", files: 2 });
    expect(onDisk(repository, "inner.txt")).toBe("inner\n");
    expect(onDisk(repository, "outer.txt")).toBe("outer\n");
    const [outer = "", inner = ""] = [...roots];
    expect(inner.startsWith(outer)).toBe(true);
    expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
  });

  test("reports the edits in the caller's result, and undo reverses them (issue 6, 6)", {
    tags: ["long"],
  }, async () => {
    const { repository, supervisor, model } = await sessionIn(host, (request, said) => {
      if (request.actor !== "main") {
        if (said.includes("was created")) return { text: "Inner done." };
        return write(at(request, "new.txt"), "x\n");
      }
      if (said.includes("Inner done.")) return { text: "All done." };
      return {
        calls: [
          {
            name: "Agent",
            input: {
              description: "inner",
              prompt: "write",
              isolation: "worktree",
              subagent_type: "general-purpose",
            },
          },
        ],
      };
    });
    await supervisor.prompt("go");
    const last = model.requests.filter(({ actor }) => actor === "main").at(-1);
    expect(last && textsOf(last)).toMatch(/Its worktree: 1 file, \+1 -0, merged; undo: troupe undo \w+/);
    const undone = await operations.undo(
      { folder: repository.folder, which: null, force: false },
      groundOf(repository),
    );
    expect(undone).toMatchObject({ type: "undone", paths: ["new.txt"] });
    expect(existsSync(join(repository.folder, "new.txt"))).toBe(false);
  });

  test("resumes an agent after its merge at the same path, on the current checkout", {
    tags: ["long"],
  }, async () => {
    const { repository, supervisor } = await sessionIn(host, (request, said) => {
      const more = said.includes("and now more");
      if (more && said.includes("was overwritten")) return { text: "More done." };
      if (more && !said.includes("of the person")) return read(at(request, "b.txt"));
      if (more) return write(at(request, "new.txt"), "more\n");
      return said.includes("was created") ? { text: "Done." } : write(at(request, "new.txt"), "first\n");
    });
    const first = await supervisor.spawn(isolated("write"));
    expect(first.summary.worktree?.outcome).toBe("merged");
    repository.write({ "b.txt": "of the person\n" });
    const second = await supervisor.resume(first.id, "and now more");
    expect(second.summary).toMatchObject({ text: "More done.", worktree: { outcome: "merged", files: 1 } });
    expect(onDisk(repository, "new.txt")).toBe("more\n");
    expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
  });

  test("a message to an agent kept for a command, during its merge, changes no result and is reported as undelivered", {
    tags: ["long"],
  }, async () => {
    const pipes = temporaryFolder();
    for (const name of ["command", "check"]) execFileSync("mkfifo", [join(pipes, name)]);
    const rests = Promise.withResolvers<ActorId>();
    const warnings: string[] = [];
    const { repository, supervisor } = await sessionIn(
      host,
      (request, said) => {
        if (said.includes("turn left")) return { text: "Turned left." };
        if (said.includes("was created")) return { text: "Done." };
        const waits = { command: `cat ${join(pipes, "command")}`, run_in_background: true };
        const [writes] = write(at(request, "new.txt"), "of the agent\n").calls;
        return { calls: [...(writes ? [writes] : []), { name: "Bash", input: waits }] };
      },
      {
        permissionMode: "bypassPermissions",
        worktree: { check: `cat ${join(pipes, "check")}` },
        limits: { maxTurns: 2 },
        onEvent(event) {
          if (event.type === "warning") warnings.push(event.message);
          if (event.type === "agent" && event.view.state === "waiting") rests.resolve(event.view.id);
        },
      },
    );
    // Out of turns: that its command has ended sets it going no more, and its edits come back.
    const spawned = supervisor.spawn(isolated("write"));
    const id = await rests.promise;
    await (await open(join(pipes, "command"), "w")).close();
    const check = await open(join(pipes, "check"), "w");
    expect(supervisor.send(id, "turn left")).toBe("queued");
    await check.close();
    const { summary } = await spawned;
    expect(summary).toMatchObject({ text: "Done.", worktree: { outcome: "merged", files: 1 } });
    expect(onDisk(repository, "new.txt")).toBe("of the agent\n");
    expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
    expect(warnings).toEqual([`Agent ${id} ended before it read: turn left`]);
  });

  test("resumes an agent with unmerged edits in its worktree", {
    tags: ["long"],
  }, async () => {
    const { repository, supervisor } = await sessionIn(host, (request, said) => {
      if (said.includes("and now more"))
        return said.includes("other.txt was created")
          ? { text: "More." }
          : write(at(request, "other.txt"), "more\n");
      return said.includes("was created")
        ? { failure: { kind: "server", message: "gone" } }
        : write(at(request, "new.txt"), "first\n");
    });
    const first = await supervisor.spawn(isolated("write"));
    expect(first.summary.worktree?.outcome).toBe("kept");
    const second = await supervisor.resume(first.id, "and now more");
    expect(second.summary.worktree).toMatchObject({ outcome: "merged", files: 2 });
    expect(onDisk(repository, "new.txt")).toBe("first\n");
    expect(onDisk(repository, "other.txt")).toBe("more\n");
  });

  test("reports that an agent's worktree was removed, and where its edits are", {
    tags: ["long"],
  }, async () => {
    const { repository, supervisor } = await sessionIn(host, async (request, said) => {
      if (!said.includes("was created")) return write(at(request, "new.txt"), "of the agent\n");
      await vi.waitFor(async () => expect(await saved()).toContain("refs/troupe/trees/"), 50_000);
      rmSync(join(repository.folder, ".claude"), { recursive: true });
      return { text: "Written." };
    });
    const saved = () => repository.must(["for-each-ref", "--format=%(refname)", "refs/troupe/trees"]);
    const { summary } = await supervisor.spawn(isolated("write"));
    const { worktree } = summary;
    expect(worktree).toMatchObject({ outcome: "kept" });
    expect(worktree?.reason).toMatch(
      /^.+ was removed by another program\. .+; troupe worktrees restore agent-\w+ puts it back\.$/,
    );
    expect([worktree?.path, worktree?.branch]).toEqual([undefined, undefined]);
    expect(await repository.must(["show", `${(await saved()).trim()}:new.txt`])).toBe("of the agent\n");
  });

  test("keeps a stopped agent's edits on its branch", { tags: ["long"] }, async () => {
    const wrote = Promise.withResolvers<void>();
    const { repository, supervisor } = await sessionIn(host, async (request, said) => {
      if (!said.includes("was created")) return write(at(request, "new.txt"), "x\n");
      wrote.resolve();
      return { text: "never", after: new Promise(() => {}) };
    });
    const run = supervisor.spawn(isolated("write"));
    await wrote.promise;
    for (const { id } of supervisor.tree()) supervisor.cancel(id, "Enough.");
    const { summary } = await run;
    expect(summary).toMatchObject({ status: "cancelled", worktree: { outcome: "kept", files: 1 } });
    expect(await repository.must(["show", `${summary.worktree?.branch}:new.txt`])).toBe("x\n");
  });

  test("leaves nothing of an agent that is stopped while its worktree is created", async () => {
    const { repository, supervisor, model } = await sessionIn(host, () => ({ text: "never" }), {
      worktree: { setup: { command: "sleep 60", timeoutMs: 60_000 } },
      onEvent: (event) => {
        if (event.type === "agent" && event.view.state === "starting")
          supervisor.cancel(event.view.id, "Enough.");
      },
    });
    const { summary } = await supervisor.spawn(isolated("write"));
    expect(summary.status).toBe("cancelled");
    expect(model.requests).toEqual([]);
    expect(await repository.must(["status", "--porcelain"])).toBe("");
  });

  test("enters a worktree with the conversation, works there, and exits it (A16.1, A16.3)", async () => {
    const { repository, supervisor } = await sessionIn(host, (_, said) => {
      const tree = join(repository.folder, ".claude/worktrees/feature");
      if (said.includes("You have left the worktree")) return { text: "Back." };
      if (said.includes("was created"))
        return { calls: [{ name: "ExitWorktree", input: { action: "keep" } }] };
      if (said.includes(tree)) return write(join(tree, "new.txt"), "x\n");
      return { calls: [{ name: "EnterWorktree", input: { name: "feature" } }] };
    });
    const { summary } = await supervisor.prompt("go");
    expect(summary.status).toBe("done");
    expect(readFileSync(join(repository.folder, ".claude/worktrees/feature/new.txt"), "utf8")).toBe("x\n");
    expect(existsSync(join(repository.folder, "new.txt"))).toBe(false);
    expect(await repository.must(["status", "--porcelain"])).toBe("");
  });
});

/** Resolves for all once so many wait. */
function barrier(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let left = count;
  return () => {
    left -= 1;
    if (left <= 0) all.resolve();
    return all.promise;
  };
}
