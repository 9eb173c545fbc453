// @module-tag long
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { supervised } from "../../support/supervised.ts";
import { load, skillFile, withSkills } from "./with-skills.ts";

const done = { text: "Done." };
const textOf = (request: Pick<ModelRequest, "messages"> | undefined) => JSON.stringify(request?.messages);
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

describe("/name in a prompt", () => {
  test("loads the skill with its arguments before the model is asked (A12.7)", async () => {
    const { supervisor, model } = withSkills([load("inspect"), done], {
      files: {
        ".claude/skills/inspect/SKILL.md": skillFile(
          { description: "R" },
          "Inspect number $0 of $ARGUMENTS.",
        ),
      },
    });
    await supervisor.prompt("/inspect 12 now");
    expect(textOf(model.requests[0])).toContain("Inspect number 12 of 12 now.");
    expect(textOf(model.requests[0])).toContain("<command-name>/inspect</command-name>");
    // It is loaded already (A4.21).
    expect(textOf(model.requests[1])).toContain("already loaded");
  });

  test("reports an unknown skill to the user without calling a model (A12.7)", async () => {
    const { supervisor, model } = withSkills([done]);
    const { summary } = await supervisor.prompt("/revew 12");
    expect(summary.status).toBe("failed");
    expect(summary.reason).toBe('There is no command or skill "/revew". Near it are: /review.');
    expect((await supervisor.prompt("/zzzzzz")).summary.reason).toMatch(
      /no command or skill "\/zzzzzz". Some of the skills are: (\/[\w-]+, ){4}\/[\w-]+\.$/,
    );
    expect(model.requests).toHaveLength(0);
    // A path is no command.
    expect((await supervisor.prompt("/usr/bin/true is what?")).summary.status).toBe("done");
  });

  test("loads commands of directories and of the user", async () => {
    const { supervisor, model } = withSkills([done, done, done], {
      files: { ".claude/commands/git/ship.md": "Ship it: $ARGUMENTS" },
    });
    await supervisor.prompt("/git:ship today");
    await supervisor.prompt("/ship tomorrow");
    expect(textOf(model.requests[0])).toContain("Ship it: today");
    expect(textOf(model.requests[1])).toContain("Ship it: tomorrow");
  });

  test("finds a skill added since the last prompt, and sends the list again", async () => {
    const { supervisor, model, cwd } = withSkills([done, done]);
    await supervisor.prompt("hi");
    const file = join(cwd, ".claude/skills/late/SKILL.md");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, skillFile({ description: "Came late" }, "Late body."));
    await supervisor.prompt("/late");
    expect(textOf(model.requests[0])).not.toContain("Came late");
    expect(textOf(model.requests[1])).toContain("Late body.");
    expect(textOf(model.requests[1])).toContain("- late: Came late");
  });

  test("attaches the files that it names", async () => {
    const { supervisor, model } = withSkills([done], {
      files: { ".claude/commands/explain.md": "Explain @$0 to me.", "a.txt": "forty-two" },
      context: {
        memory: {
          ...userPlaces({}, "/nowhere"),
          home: "/nowhere",
          managed: "/nowhere",
          trusted: () => false,
        },
      },
    });
    await supervisor.prompt("/explain a.txt");
    expect(textOf(model.requests[0])).toContain("forty-two");
  });

  test("treats a comment as text, and every prompt without skills", async () => {
    const { supervisor, model } = withSkills([done]);
    await supervisor.prompt("// what does this comment mean?");
    expect(textOf(model.requests[0])).toContain("// what");
    expect(supervisor.skills().map(({ name }) => name)).toContain("review");
    const plain = supervised("in-thread", [done]);
    await plain.supervisor.prompt("/review 12");
    expect(textOf(plain.model.requests[0])).toContain("/review 12");
    expect(plain.model.requests[0]?.tools.map(({ name }) => name)).not.toContain("Skill");
  });
});

describe("commands in a skill, and what it may do", () => {
  const files = {
    ".claude/commands/now.md": skillFile(
      { "allowed-tools": "Bash(touch:*)" },
      "It is !`echo five-past-$0` now; !`touch ran.txt`.",
    ),
  };

  test("does not run commands in an untrusted directory, and reports that", async () => {
    const { supervisor, model, events } = withSkills([bash("touch made.txt"), done], { files });
    await supervisor.prompt("/now three");
    expect(textOf(model.requests[0])).not.toContain("five-past-three now");
    expect(textOf(model.requests[0])).toContain("this directory is not trusted");
    expect(JSON.stringify(events)).toContain(
      "would use Bash(touch:*) without a question; that does not count",
    );
    // Nobody can be asked.
    expect(textOf(model.requests[1])).toContain('"is_error":true');
  });

  test("runs trusted commands like any other, with the skill's rules", async () => {
    const { supervisor, model } = withSkills([bash("touch made.txt"), done, bash("touch more.txt"), done], {
      files,
      agreed: () => true,
    });
    await supervisor.prompt("/now three");
    expect(textOf(model.requests[0])).toContain("It is five-past-three now");
    expect(textOf(model.requests[0])).not.toContain("was not run");
    expect(textOf(model.requests[1])).not.toContain('"is_error":true');
    // The next prompt has it no more.
    await supervisor.prompt("and now?");
    expect(textOf(model.requests[3])).toContain('"is_error":true');
  });

  test("overrides no rule that denies, and runs only allowed commands despite arguments", async () => {
    const { supervisor, model } = withSkills([bash("touch made.txt"), done, done], {
      files: {
        ...files,
        ".claude/commands/log.md": skillFile({ "allowed-tools": "Bash(echo:*)" }, "Log: !`echo $ARGUMENTS`"),
      },
      agreed: () => true,
      disallowedTools: ["Bash(touch:*)"],
    });
    await supervisor.prompt("/now three");
    expect(textOf(model.requests[0])).toContain("was not run");
    expect(textOf(model.requests[1])).toContain("Bash(touch:*)");
    await supervisor.prompt("/log a; rm -rf b !`echo x`");
    expect(textOf(model.requests[2])).toContain("was not run");
  });
});
