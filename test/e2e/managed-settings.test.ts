import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { lazyRuntime } from "../../src/cli/runtime.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { FakeIO } from "../cli/fake-io.ts";
import { type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Runs the whole program here, with an organisation's file, the user's, and a model that says this. */
async function organisation(
  managed: object,
  user: object,
  replies: readonly ServedReply[] = [],
  files: Readonly<Record<string, string>> = {},
) {
  const server = await startMessagesServer(({ n }) => replies[n] ?? { text: "Done." });
  onTestFinished(() => server.close());
  const [homedir, cwd] = [temporaryFolder("troupe-home-"), temporaryFolder()];
  const managedSettings = join(temporaryFolder(), "managed-settings.json");
  const all = {
    [managedSettings]: JSON.stringify(managed),
    [join(homedir, ".claude/settings.json")]: JSON.stringify(user),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [join(homedir, path), text])),
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const { PATH = "" } = process.env;
  const key = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-secret" };
  const run = async (...argv: string[]) => {
    const env = { PATH, HOME: homedir, TROUPE_HOME: join(homedir, ".troupe"), ...key };
    const io = Object.assign(new FakeIO({ cwd, homedir, env, stdin: "" }), {
      managedSettings,
      clock: systemClock,
    });
    const code = await main(["-p", "go", ...argv], io, lazyRuntime);
    return { code, out: io.out.text, err: io.err.text };
  };
  const models = () => server.requests.map(({ body }) => body.model);
  const told = async (n: number) => JSON.stringify((await server.request(n)).body.messages.at(-1));
  return { run, cwd, models, told };
}

const bash = (command: string): ServedReply => ({
  text: "I run it.",
  calls: [{ name: "Bash", input: { command, description: "It" } }],
});
const touching = (event: string, file: string) => ({
  hooks: { [event]: [{ hooks: [{ type: "command", command: `touch ${file}` }] }] },
});

test("allowManagedPermissionRulesOnly: the user's rule allows nothing, and a flag is refused", {
  tags: ["long"],
}, async () => {
  const user = { permissions: { allow: ["Bash(touch:*)"] } };
  const free = await organisation({}, user, [bash("touch one")]);
  await free.run();
  expect(existsSync(join(free.cwd, "one"))).toBe(true);
  const held = await organisation({ allowManagedPermissionRulesOnly: true }, user, [bash("touch one")]);
  const { err } = await held.run();
  expect(existsSync(join(held.cwd, "one"))).toBe(false);
  expect(err).toContain("Bash");
  const flag = await held.run("--allowedTools", "Bash");
  expect(flag).toMatchObject({ code: 2, err: expect.stringContaining("allowManagedPermissionRulesOnly") });
});

test("allowManagedHooksOnly: the organisation's hook runs, the user's does not", {
  tags: ["long"],
}, async () => {
  const marks = temporaryFolder();
  const [theirs, mine] = [join(marks, "theirs"), join(marks, "mine")];
  const managed = { allowManagedHooksOnly: true, ...touching("Stop", theirs) };
  const { run } = await organisation(managed, touching("Stop", mine));
  expect((await run()).code).toBe(0);
  expect([existsSync(theirs), existsSync(mine)]).toEqual([true, false]);
});

test("disableBypassPermissionsMode: neither a flag nor the user's settings bypass", {
  tags: ["long"],
}, async () => {
  const managed = { permissions: { disableBypassPermissionsMode: "disable" } };
  const user = { permissions: { defaultMode: "bypassPermissions" } };
  const { run, cwd } = await organisation(managed, user, [bash("touch one")]);
  const flag = await run("--permission-mode", "bypassPermissions");
  expect(flag).toMatchObject({ code: 2, err: expect.stringContaining("disableBypassPermissionsMode") });
  const settings = await run();
  expect(settings.err).toContain("the mode bypassPermissions does not count");
  expect(existsSync(join(cwd, "one"))).toBe(false);
});

test.each(["forceLoginOrgUUID", "forceLoginMethod"])(
  "%s: no request is sent with a key",
  {
    tags: ["long"],
  },
  async (key) => {
    const { run, models } = await organisation({ [key]: [] }, {});
    const { code, err } = await run();
    expect([code, models()]).toEqual([2, []]);
    expect(err).toMatch(
      new RegExp(
        `managed-settings\\.json sets ${key}, so only accounts .* it sends nothing\\. Ask your administrator`,
      ),
    );
    const theirs = await organisation({}, { [key]: "x" });
    expect((await theirs.run()).err).toContain(`${key} is not used here.`);
    expect(theirs.models()).not.toEqual([]);
  },
);

test("allowManagedDomainsOnly: a domain that only the user allows is not reached, and a flag is refused", {
  tags: ["long"],
}, async () => {
  const fetched: ServedReply = {
    text: "I look.",
    calls: [{ name: "WebFetch", input: { url: "http://b.example/x", prompt: "What is it?" } }],
  };
  const user = {
    permissions: { allow: ["WebFetch(domain:b.example)", "WebFetch"], defaultMode: "bypassPermissions" },
    sandbox: { network: { allowedDomains: ["b.example"] } },
  };
  const managed = { sandbox: { network: { allowManagedDomainsOnly: true, allowedDomains: ["a.example"] } } };
  const { run, told } = await organisation(managed, user, [fetched]);
  expect((await run()).code).toBe(0);
  expect(await told(1)).toContain("allowManagedDomainsOnly");
  const flag = await run("--allowedTools", "WebFetch(domain:b.example)");
  expect(flag).toMatchObject({ code: 2, err: expect.stringContaining("allowManagedDomainsOnly") });
});

test("availableModels: no request goes to another model, wherever it is named", {
  tags: ["long"],
}, async () => {
  const agent = "---\nname: reader\ndescription: Reads.\nmodel: opus\n---\nYou read.\n";
  const start = (more: object): ServedReply => ({
    text: "I start one.",
    calls: [{ name: "Agent", input: { description: "it", prompt: "do it", ...more } }],
  });
  const replies = [start({ subagent_type: "reader" }), { text: "Read." }, start({ model: "opus" })];
  const { run, models, told } = await organisation({ availableModels: ["haiku"] }, {}, replies, {
    ".claude/agents/reader.md": agent,
  });
  const { code, err } = await run();
  expect(code).toBe(0);
  expect(err).toContain("so they use the session's: reader (opus).");
  expect(new Set(models())).toEqual(new Set(["claude-haiku-5-5"]));
  expect(await told(3)).toContain("The model opus is not among availableModels");
  const refused = await run("--model", "opus");
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringContaining("The model opus is not among availableModels of your settings (haiku)"),
  });
});
