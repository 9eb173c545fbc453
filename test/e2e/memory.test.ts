import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("the conversation and its agents get the memory of an untrusted directory, and nothing from outside of it (A18.5, A2.1)", {
  tags: ["long"],
}, async () => {
  const server = await startMessagesServer(({ body }) =>
    JSON.stringify(body.messages).includes("look for it") || body.messages.length > 1
      ? { text: "Done." }
      : {
          calls: [
            {
              name: "Agent",
              input: { description: "look", prompt: "look for it", subagent_type: "general-purpose" },
            },
          ],
        },
  );
  onTestFinished(() => server.close());
  const home = temporaryFolder();
  const cwd = join(home, "project");
  mkdirSync(join(home, ".claude"));
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  writeFileSync(join(home, ".claude", "CLAUDE.md"), "of the person");
  writeFileSync(join(home, ".key"), "SECRET");
  writeFileSync(join(cwd, "CLAUDE.md"), "of the project @~/.key");
  writeFileSync(join(cwd, "AGENTS.md"), "for agents");
  // Something that only trust would grant.
  writeFileSync(join(cwd, ".claude", "settings.json"), '{"permissions":{"allow":["Bash(ls)"]}}');
  const { code, err } = await troupe(["-p", "begin"], { url: server.url, cwd, home });
  expect(code).toBe(0);
  expect(err).toMatch(/\.key was left out: it leads out of the project/);
  expect(server.requests).toHaveLength(3);
  for (const { body, rawBody } of server.requests) {
    const memory = body.system?.map(({ text }) => text).find((text) => text.startsWith("Memory")) ?? "";
    const places = ["of the person", "of the project", "for agents"].map((text) => memory.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(rawBody).not.toContain("SECRET");
    expect(rawBody).toContain("Today's date is");
  }
});
