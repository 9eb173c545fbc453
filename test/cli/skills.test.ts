import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { skillGrantsIn } from "../../src/cli/skills.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { settingsReader } from "../../src/policy/trust/trust.ts";
import { trustFolder } from "../../src/policy/trust/trust-store.ts";
import { trustQuestion, untrustedNote } from "../../src/policy/trust/trust-text.ts";
import { userPlaces } from "../../src/settings/paths.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

describe("what a folder's skills would do", () => {
  function folder(files: Readonly<Record<string, string>>) {
    const homedir = temporaryFolder();
    const cwd = temporaryFolder();
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    };
    for (const [path, text] of Object.entries(files)) write(path, text);
    const io = Object.assign(new FakeIO(), { homedir, managedSettings: join(homedir, "managed.json") });
    const home = join(homedir, ".troupe");
    const more = () => skillGrantsIn(io, { cwd, home });
    const where = {
      ...userPlaces({}, homedir),
      root: cwd,
      home,
      managed: join(homedir, "managed.json"),
      more,
    };
    return { home, cwd, write, reader: (trusts = false) => settingsReader(where, trusts), more };
  }
  const ship = "---\nallowed-tools: Bash(git push:*)\n---\nNow !`git status`: ship it.";

  test("is a question like its settings, and takes nothing from settings that were agreed to", async () => {
    const { home, cwd, write, reader, more } = folder({
      ".claude/settings.json": '{"permissions":{"allow":["Bash(npm test)"]}}',
    });
    const before = await reader().read();
    if (before.trust.type !== "untrusted") throw new Error(before.trust.type);
    await trustFolder(home, cwd, before.trust.grants, systemClock);
    expect((await reader().read()).rules.map(({ text }) => text)).toEqual(["Bash(npm test)"]);

    write(".claude/commands/ship.md", ship);
    const now = reader();
    const { trust, rules } = await now.read();
    expect(rules.map(({ text }) => text)).toEqual(["Bash(npm test)"]);
    const question = trustQuestion(cwd, trust)?.text;
    expect(question).toContain("  - use Bash(git push:*) without a question (skill ship)");
    expect(question).toContain('  - run "git status" when the skill ship is loaded');
    expect(question).not.toContain("npm test");
    expect(untrustedNote(trust)).toMatch(/^This directory is not trusted with what its skills would do/);
    const digests = (await more()).map(({ digest }) => digest);
    expect(digests.map((digest) => now.agreed(digest))).toEqual([false, false]);

    now.trustForNow();
    await now.read();
    expect(digests.map((digest) => now.agreed(digest))).toEqual([true, true]);
    // What is changed later is a question again.
    write(".claude/commands/ship.md", ship.replace("git push:*", "git:*"));
    const changed = await now.read();
    const fresh = changed.trust.type === "untrusted" ? changed.trust.fresh.map(({ words }) => words) : [];
    expect(fresh).toContain("use Bash(git:*) without a question (skill ship)");
    expect(fresh.join()).not.toContain("npm test");
  });

  test("a skill that takes the name of another one is a question, which the list of skills tells otherwise (issue 14)", async () => {
    const { cwd, reader, home } = folder({
      ".claude/skills/review/SKILL.md": "---\ndescription: A\n---\nDo it.",
    });
    const { trust } = await reader().read();
    expect(trustQuestion(cwd, trust)?.text).toContain(
      "  - use its skill review instead of the built-in one\n",
    );
    expect(untrustedNote(trust)).toBeNull();
    if (trust.type !== "untrusted") throw new Error(trust.type);
    await trustFolder(home, cwd, trust.grants, systemClock);
    expect((await reader().read()).trust.type).toBe("trusted");
  });

  test("skills that ask for nothing are no question, and --trust agrees for one run", async () => {
    const plain = folder({ ".claude/skills/a/SKILL.md": "---\ndescription: A\n---\nDo it." });
    expect((await plain.reader().read()).trust.type).toBe("nothing-to-grant");
    const { reader, more } = folder({ ".claude/commands/ship.md": ship });
    const trusting = reader(true);
    expect((await trusting.read()).trust.type).toBe("trusted");
    for (const { digest } of await more()) expect(trusting.agreed(digest)).toBe(true);
  });
});

describe("troupe fanout with a task that begins with a slash", () => {
  async function fanout(...tasks: readonly string[]) {
    const io = new FakeIO({ cwd: temporaryFolder(), homedir: temporaryFolder() });
    const runtime = new FakeRuntime({});
    const code = await main(["fanout", "--offline", ...tasks], io, runtime);
    return { code, err: io.err.text, runtime };
  }

  test("reports an unknown skill, and starts nothing (A12.7)", async () => {
    const { code, err, runtime } = await fanout("look", "/revew 12");
    expect(code).toBe(2);
    expect(err).toContain('There is no command or skill "/revew". Near it are: /review.');
    expect(runtime.sessions).toEqual([]);
  });

  test("others are left to the session, which knows what they stand for", async () => {
    const { code, runtime } = await fanout("/review 12", "/usr/bin is what?", "/mcp__x__y");
    expect(code).toBe(0);
    expect(runtime.only.spawns.map(({ prompt, typed }) => [prompt, typed])).toEqual([
      ["/review 12", true],
      ["/usr/bin is what?", true],
      ["/mcp__x__y", true],
    ]);
  });
});
