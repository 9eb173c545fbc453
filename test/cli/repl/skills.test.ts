import { describe, expect, test } from "vitest";
import { callsSkill, isSlashCommand, runSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import type { Skill } from "../../../src/context/skills/skill.ts";
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
    // It may have come since: the session looks, and says so where there is none.
    ["/brand-new", true],
  ])("%s", (line, calls) => {
    expect(isSlashCommand(line)).toBe(true);
    expect(callsSkill(line, skills)).toBe(calls);
    expect(callsSkill(line, [])).toBe(false);
  });

  test("a command of the shell is named as such, unless a skill has its name", async () => {
    const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
    expect(await runSlashCommand("/context", slashContext(own))).toBe(
      'There is no command "/context"; in a shell there is troupe context.',
    );
    expect(callsSkill("/context", skills)).toBe(false);
    expect(callsSkill("/context", [skill("context")])).toBe(true);
  });

  test("/skills lists what can be called", async () => {
    const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
    const said = await runSlashCommand("/skills", slashContext(own, { skills: () => skills }));
    expect(said).toBe(
      "/review [number]: Does review. (this project's)\n/tools:ship: Does tools:ship. (this project's)\n/mode: Does mode. (this project's)",
    );
  });
});
