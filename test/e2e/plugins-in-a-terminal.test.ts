import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN } from "../support/built.ts";
import { startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const why = whyNoTerminal();
if (why !== null) console.warn(`The question about a project's plug-in is not tested in a terminal: ${why}.`);

describe("a project's plug-in, in a terminal", { ...unless(why), timeout: 60_000 }, () => {
  test("shows what it runs before any of it runs, and runs only after a yes", {
    tags: ["long"],
  }, async () => {
    const server = await startMessagesServer(() => ({ text: "Hello." }));
    onTestFinished(() => server.close());
    const cwd = temporaryFolder();
    const home = temporaryFolder("troupe-home-");
    const started = join(home, "started");
    const command = `touch ${started}`;
    const files = {
      ".claude/settings.json": {
        enabledPlugins: { "tools@team": true },
        extraKnownMarketplaces: { team: { source: { source: "directory", path: "./market" } } },
      },
      "market/.claude-plugin/marketplace.json": {
        name: "team",
        plugins: [{ name: "tools", source: "./tools" }],
      },
      "market/tools/hooks/hooks.json": {
        hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] },
      },
    };
    for (const [path, value] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), JSON.stringify(value));
    }
    const env = { HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-secret" };
    const talk = () => inTerminal([process.execPath, BIN], { cwd, env, columns: 120, rows: 40 });
    const question =
      /tools@team[\s\S]*this project's settings enable[\s\S]*run "touch [\s\S]*\(SessionStart\)[\s\S]*Do you agree\?[\s\S]*trust it\? y or n › *$/;

    const first = talk();
    await first.shows(question);
    expect(existsSync(started)).toBe(false);
    first.type("n\r");
    await first.shows(/You have not agreed to what the plug-in[\s\S]*\n› *$/);
    first.type("hello\r");
    await first.shows(/Hello\.[\s\S]*\n› *$/);
    expect(existsSync(started)).toBe(false);
    first.vanish();

    const second = talk();
    await second.shows(question);
    second.type("y\r");
    await second.shows(/\n› *$/);
    second.type("hello\r");
    await second.shows(/Hello\.[\s\S]*\n› *$/);
    expect(existsSync(started)).toBe(true);
    second.vanish();

    const third = talk();
    await third.shows(/\n› *$/);
    expect(third.written()).not.toContain("Do you agree?");
  });
});
