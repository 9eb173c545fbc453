import { expect, test } from "vitest";
import { tasks } from "../../../src/cli/repl/task-commands.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { TaskView } from "../../../src/tools/background.ts";
import { actor, agentView } from "../../support/agent-view.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { ownFiles, slashContext } from "./slash-ground.ts";

const task = (id: string, more: Partial<TaskView> = {}): TaskView => ({
  ...{ id, kind: "command", title: `serve ${id}`, state: "running", ending: null, ms: 61_000 },
  ...more,
});

/** Runs `/tasks` where these commands have run, with what each has printed. */
async function run(
  argument: string,
  printed: Readonly<Record<string, string>> = {},
  views: readonly TaskView[] = [],
) {
  const [cwd, homedir] = [temporaryFolder(), temporaryFolder()];
  const stopped: string[] = [];
  const agent = agentView({ id: actor(7), parent: MAIN, description: "look around" });
  const context = slashContext(ownFiles({ cwd, homedir, managed: "/none" }), {
    // As a method of a session.
    tree(this: object) {
      expect(this).toHaveProperty("tasks");
      return views.length === 0 ? [] : [agent];
    },
    cancel: (id) => void stopped.push(id),
    tasks: {
      list: () => views,
      output: async (id) => ({ bytes: 1, head: printed[id] ?? "", tail: null, path: null }),
      stop: async (id) => void stopped.push(id),
    },
  });
  return { text: await tasks(argument, context), stopped, agent };
}

const both = [task("aa1"), task("ab2", { state: "exited", ending: "It ended with exit code 2." })];

test("/tasks lists commands and agents with time, last line and end (issue 21, 8)", async () => {
  const { text, agent } = await run("", { aa1: "one\ntwo\u001b[31m\n" }, both);
  expect(text).toMatch(
    /^● aa1 {2}serve aa1 {2}command · 1 min 01 s\n {4}two\S*\n○ ab2 {2}serve ab2 {2}command · [^\n]* · It ended with exit code 2\.\n/,
  );
  expect(text).toContain(agent.id);
  expect((await run("")).text).toContain("Nothing runs in the background");
});

test.each<[argument: string, says: RegExp, stopped: readonly string[]]>([
  ["aa1", /^one\ntwo\nIt has run for/, []],
  ["aa", /^one\ntwo\n/, []],
  ["ab2", /^It has printed nothing\.\nIt ended with exit code 2\.$/, []],
  ["a", /begins the ids of 2|begins the ids of 3/, []],
  ["zz", /There is no task "zz"/, []],
  ["stop", /\/tasks stop ID/, []],
  ["stop aa1", /serve aa1 was stopped/, ["aa1"]],
  ["stop ab2", /has ended already/, []],
  ["stop zz", /There is no task/, []],
  ["stop aa1 now", /\/tasks ID shows/, []],
  ["aa1 ab2", /\/tasks ID shows/, []],
])("/tasks %s", async (argument, says, stopped) => {
  const end = await run(argument, { aa1: "one\ntwo\n" }, both);
  expect(end.text).toMatch(says);
  expect(end.stopped).toEqual(stopped);
});

test("/tasks stop stops an agent as /stop does", async () => {
  const { stopped, agent } = await run(`stop ${actor(7)}`, {}, both);
  expect(stopped).toEqual([agent.id]);
});
