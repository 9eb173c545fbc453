// @module-tag long
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { bash, openFleet, usage, write } from "./fleet.ts";

const done = { text: "done", usage };

function hooksOf(event: string, command: string) {
  const hooks = [{ matcher: "", hooks: [{ type: "command", command }] }];
  return [{ scope: "user" as const, file: "/u/settings.json", value: { [event]: hooks } }];
}

/** The worktrees of agents that are in a checkout now. */
function treesIn(cwd: string): readonly string[] {
  const folder = join(cwd, ".claude", "worktrees");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("agent-")) : [];
}

describe("the worktree here of an agent on a runner", () => {
  it("is made with its first edits", async () => {
    const seen: number[] = [];
    const { supervisor, cwd, start } = await openFleet((root, turn) => {
      seen.push(treesIn(cwdOf()).length);
      if (turn === 0) return bash("cat a.txt");
      return turn === 1 ? write(join(root, "made.txt"), "made\n") : done;
    });
    const cwdOf = () => cwd;
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(seen).toEqual([0, 0, 1]);
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made\n");
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });

  it("is made for a hook of the session that runs in it", async () => {
    const place = temporaryFolder();
    const hooks = hooksOf("SubagentStop", `pwd > ${place}/at; ls > ${place}/files`);
    const { supervisor, cwd, start } = await openFleet(() => done, { hooks });
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(readFileSync(join(place, "at"), "utf8")).toContain(join(cwd, ".claude", "worktrees", "agent-"));
    expect(readFileSync(join(place, "files"), "utf8")).toBe("a.txt\nb.txt\n");
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });

  it("is made for a hook that looks at it before it is removed", async () => {
    const place = temporaryFolder();
    const look = `cd "$(sed 's/.*"worktree_path":"\\([^"]*\\)".*/\\1/')" && ls > ${place}/files`;
    const { supervisor, start } = await openFleet(() => done, { hooks: hooksOf("WorktreeRemove", look) });
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(readFileSync(join(place, "files"), "utf8")).toBe("a.txt\nb.txt\n");
  });

  it("is made for an agent that works in it, whose edits are merged into it first", async () => {
    let outer = "";
    const { supervisor, cwd, start } = await openFleet((root, turn) => {
      outer ||= root;
      if (root !== outer) return turn === 0 ? write(join(root, "inner.txt"), "inner\n") : done;
      const input = { description: "inner", prompt: "write", subagent_type: "general-purpose" };
      return turn === 0 ? { calls: [{ name: "Agent", input }], usage } : done;
    });
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(basename(outer)).toMatch(/^agent-/);
    expect(readFileSync(join(cwd, "inner.txt"), "utf8")).toBe("inner\n");
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
  });
});
