import { describe, expect, test } from "vitest";
import { callsSkill, isSlashCommand, runSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import type { OwnFiles } from "../../../src/cli/repl/slash-context.ts";
import type { Skill } from "../../../src/context/skills/skill.ts";
import { noUsage } from "../../../src/mailbox/conversation.ts";
import { MAIN, SessionId } from "../../../src/mailbox/ids.ts";
import { actor, agentView } from "../../support/agent-view.ts";
import { fakeModels } from "../fake-session.ts";
import { ownFiles, slashContext } from "./slash-ground.ts";

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  ...{
    name,
    description: `Does ${name}.`,
    whenToUse: null,
    allowedTools: [],
    argumentHint: null,
    arguments: [],
  },
  ...{ model: null, forModel: true, forUser: true, alias: null, forks: false, agent: null, commands: [] },
  ...{ kind: "skill", origin: "project", path: `/w/${name}/SKILL.md`, plugin: null },
  ...more,
});
const skills = [skill("review", { argumentHint: "[number]" }), skill("tools:ship"), skill("mode")];

describe("a slash in the conversation", () => {
  test.each([
    ["/review 12", true],
    ["/tools:ship", true],
    ["/ship", true],
    // Our own come first, and so does what is nearly one of them.
    ["/mode plan", false],
    ["/quit", false],
    ["/hlep", false],
    ["/worktree", false],
    // It may have come since: the session looks, and says so where there is none.
    ["/brand-new", true],
  ])("%s", (line, calls) => {
    expect(isSlashCommand(line)).toBe(true);
    expect(callsSkill(line, skills)).toBe(calls);
    expect(callsSkill(line, [])).toBe(false);
  });

  test("a command of the shell runs in the conversation's directory, harmless for the terminal, unless a skill has its name", async () => {
    const ran: unknown[] = [];
    const own: OwnFiles = {
      ...ownFiles({ cwd: "/w", homedir: "/home", managed: "/w/none" }),
      async run(argv, { cwd, stdinIsTTY, stdout }) {
        ran.push({ argv, cwd, stdinIsTTY });
        await stdout.write("printed \u001b[2J\n");
        return 1;
      },
    };
    expect(await runSlashCommand('/worktrees diff "a b"  c', slashContext(own))).toBe("printed");
    expect(ran).toEqual([{ argv: ["worktrees", "diff", "a b", "c"], cwd: "/w", stdinIsTTY: false }]);
    for (const long of ["sessions resume abc", "sessions show abc --follow"])
      expect(await runSlashCommand(`/${long}`, slashContext(own))).toBe(
        `In a shell there is troupe ${long}.`,
      );
    expect(ran).toHaveLength(1);
    expect(callsSkill("/context", skills)).toBe(false);
    expect(callsSkill("/context", [skill("context")])).toBe(true);
  });

  test.each([
    [
      "/plugin",
      "",
      "No plug-in is installed, and no marketplace is known. /plugin marketplace add PATH or URL adds one.",
    ],
    ["/cron", "", "No prompt is scheduled here."],
    ["/worktrees", "agent-1  merged", "agent-1  merged"],
    ["/export talk.html", "/w/talk.html", "Written: /w/talk.html"],
    ["/export talk.html", "talk.html exists already.", "talk.html exists already."],
    ["/context", "sizes", "This conversation uses 250.0k tokens of 1.0M (25 %). It began with:\n\nsizes"],
    ["/context Explore", "parts", "parts"],
  ])("%s, if the shell's command prints %j, says something", async (line, printed, said) => {
    const own: OwnFiles = {
      ...ownFiles({ cwd: "/w", homedir: "/home", managed: "/w/none" }),
      async run(_, { stdout }) {
        await stdout.write(`${printed}\n`);
        return 0;
      },
    };
    const context = { ...slashContext(own, { models: fakeModels() }), contextTokens: 250_000 };
    expect(await runSlashCommand(line, context)).toBe(said);
  });

  test.each([
    ["/remind", "did you mean /rewind?"],
    ["/modes", "did you mean /mode or /model?"],
    ["/shop", "did you mean /ship or /stop?"],
    ["/zzzzzz", "/help lists the commands, /skills the skills."],
  ])("%s is unknown, and what is near it is named: commands and skills", async (line, hint) => {
    const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
    const context = slashContext(own, { skills: () => [skill("ship"), skill("shop", { forUser: false })] });
    expect(await runSlashCommand(line, context)).toBe(`There is no command "${line}"; ${hint}`);
  });

  test("/cost shows what the session used, by model", async () => {
    const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
    const view = agentView({ id: actor(1), model: "small", costUsd: 0.5 });
    const usage = { ...noUsage, output_tokens: 1_200 };
    const context = slashContext(own, {
      tree: () => [{ ...view, id: MAIN, model: "large" }],
      usage: () => ({
        ...{ session: SessionId.parse("session1"), costUsd: 2, usage, apiMs: 3_000, denials: [] },
        models: [
          { model: "large", costUsd: 1.5, usage },
          { model: "small", costUsd: 0.5, usage: noUsage },
        ],
        agents: [{ ...view, id: MAIN, model: "large", costUsd: 1.5, usage }, view],
      }),
    });
    expect(await runSlashCommand("/cost", context)).toBe(
      "This session: $2.00 · 1.2k tokens · 1 agent · 3.0 s of requests\nlarge  $1.50 · 1.2k tokens\nsmall  $0.50 · 0 tokens",
    );
  });

  test("/skills lists what can be called", async () => {
    const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
    const said = await runSlashCommand("/skills", slashContext(own, { skills: () => skills }));
    expect(said).toBe(
      "/review [number]: Does review. (this project's)\n/tools:ship: Does tools:ship. (this project's)\n/mode: Does mode. (this project's)",
    );
  });
});
