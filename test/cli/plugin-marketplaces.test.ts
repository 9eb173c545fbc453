// @module-tag long
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { diskFiles } from "../../src/context/files.ts";
import { skillLibrary } from "../../src/context/skills/library.ts";
import { userPlaces } from "../../src/settings/paths.ts";
import { places } from "../context/agents/agent-files.ts";
import { emptyRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

const agent = (name: string) => `---\nname: ${name}\ndescription: It is ${name}.\n---\nYou are ${name}.\n`;
const hook = (command: string) => ({ hooks: [{ type: "command", command }] });
const stop = (command: string) => ({ hooks: { Stop: [hook(command)] } });

type Content = Readonly<Record<string, unknown>>;

function put(dir: string, files: Content): void {
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), typeof value === "string" ? value : JSON.stringify(value));
  }
}

const market = (plugins: unknown, more: object = {}) => ({
  ".claude-plugin/marketplace.json": { name: "shop", plugins, ...more },
});
const tools = { name: "tools", source: "./tools" };

type Troupe = ReturnType<typeof user>["troupe"];

/** A project and a home in which the program is run. */
function user({ managed }: { readonly managed?: object } = {}) {
  const { project, homedir } = places();
  const organisation = join(temporaryFolder(), "managed-settings.json");
  if (managed !== undefined) writeFileSync(organisation, JSON.stringify(managed));
  const run = async (
    argv: readonly string[],
    { stdin, cwd = project }: { stdin?: string; cwd?: string } = {},
  ) => {
    const env = { ...process.env, TROUPE_HOME: join(homedir, ".troupe") };
    const io = Object.assign(new FakeIO({ cwd, homedir, env, ...(stdin === undefined ? {} : { stdin }) }), {
      managedSettings: organisation,
    });
    const runtime = new FakeRuntime();
    const code = await main(argv, io, runtime);
    return { code, out: io.out.text, err: io.err.text, options: runtime.sessions[0]?.options };
  };
  const troupe = (...argv: string[]) => run(argv);
  const session = async () => {
    const { err, options } = await troupe("-p", "hello", "--offline");
    return { err, agents: options?.agents?.map(({ name }) => name), hooks: options?.hooks };
  };
  const settings = () => JSON.parse(readFileSync(join(homedir, ".claude/settings.json"), "utf8"));
  return { project, homedir, run, troupe, session, settings };
}

test("a marketplace in a directory: a plug-in runs only what the user has agreed to", async () => {
  const shop = temporaryFolder();
  put(shop, {
    ...market([tools]),
    "tools/agents/reader.md": agent("reader"),
    "tools/hooks/hooks.json": stop("true"),
  });
  const { troupe, session } = user();
  expect(await troupe("plugin", "marketplace", "add", shop)).toMatchObject({ code: 0 });
  expect((await troupe("plugin", "list")).out).toBe("tools@shop  not installed\n");
  const installed = await troupe("plugin", "install", "tools@shop", "--yes");
  expect(installed).toMatchObject({ code: 0, err: expect.stringContaining('run "true" as a hook (Stop)') });
  expect((await troupe("plugin", "list")).out).toBe("tools@shop  enabled\n");
  expect(await session()).toMatchObject({ agents: ["tools:reader"], hooks: [{ scope: "user" }] });

  put(shop, { "tools/hooks/hooks.json": stop("rm -r /") });
  const changed = await session();
  expect(changed).toMatchObject({ hooks: [], agents: [] });
  expect(changed.err).toContain(
    'You have not agreed to what the plug-in tools@shop runs (run "rm -r /" as a hook (Stop)), so it is left out; troupe plugin enable tools@shop asks.',
  );
  put(shop, {
    "tools/hooks/hooks.json": stop("true"),
    "tools/skills/go/SKILL.md": "---\nallowed-tools: Bash(rm *)\n---\n!`make all`",
  });
  expect((await session()).err).toContain(
    'runs (use Bash(rm *) without a question (skill tools:go); run "make all" when the skill tools:go is loaded), so it is left out',
  );
  expect(await troupe("plugin", "disable", "tools@shop")).toMatchObject({ code: 0 });
  expect((await session()).agents).toEqual([]);
  expect(await troupe("plugin", "remove", "tools@shop")).toMatchObject({ code: 0 });
  expect(await troupe("plugin", "marketplace", "remove", "shop")).toMatchObject({ code: 0 });
});

test("a question before a plug-in is enabled: anything but yes leaves it out", async () => {
  const shop = temporaryFolder();
  put(shop, { ...market([tools]), "tools/hooks/hooks.json": stop("true") });
  const { run, troupe, session } = user();
  await troupe("plugin", "marketplace", "add", shop);
  const install = ["plugin", "install", "tools@shop"];
  const refused = await run(install, { stdin: "n\n" });
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("Do you agree? [y/N]") });
  expect((await session()).hooks).toEqual([]);
  expect(await run(install, { stdin: "y\n" })).toMatchObject({ code: 0 });
  expect((await session()).hooks).toHaveLength(1);
});

test("every entry of a marketplace that is left out has a line", async () => {
  const shop = temporaryFolder();
  const npm = { source: "npm", package: "a" };
  const sha = "0123abc";
  put(
    shop,
    market([
      tools,
      { name: "../up", source: "./a" },
      { source: "./b" },
      "text",
      tools,
      { name: "npm", source: npm },
      { name: "out", source: "../../out" },
      { name: "short", source: { source: "url", url: "https://example.invalid/a.git", sha } },
      { name: "odd", source: { source: "url", url: "--upload-pack=x" } },
    ]),
  );
  const { troupe } = user();
  const file = join(shop, ".claude-plugin/marketplace.json");
  const { code, err } = await troupe("plugin", "marketplace", "add", shop);
  expect(code).toBe(0);
  expect(err.split("\n")).toEqual([
    `${file}: plug-in 2 has the name "../up", and a name has only letters, digits, "_", "-" and "."; it is left out.`,
    `${file}: plug-in 3 has the name (none), and a name has only letters, digits, "_", "-" and "."; it is left out.`,
    `${file}: plug-in 4 is not an object; it is left out.`,
    `${file}: plug-in 5 has the name tools a second time; it is left out.`,
    "",
  ]);
  const install = async (name: string) => (await troupe("plugin", "install", `${name}@shop`, "--yes")).err;
  expect(await install("npm")).toContain("is a package of npm, which Troupe does not install");
  expect(await install("out")).toContain("is outside its marketplace, so it is left out");
  expect(await install("short")).toContain("its sha 0123abc is not a whole ID of a commit");
  expect(await install("odd")).toContain("it has no url that git can clone");
  expect(await install("none")).toContain("has no plug-in none");
  expect(await install("tools")).toContain("has no directory");
});

test.each([
  {
    name: "strict: false serves instead of plugin.json and of the usual places",
    entry: { strict: false },
    hooks: ["entry"],
    agents: ["tools:named"],
    notes: ["plugin.json: hooks are left out", "hooks.json is left out", "/agents is left out"],
  },
  {
    name: "without it both count",
    entry: {},
    hooks: ["usual", "manifest", "entry"],
    agents: ["tools:usual", "tools:named"],
    notes: ["lspServers of the plug-in tools is not used here"],
  },
])("what an entry names: $name", async ({ entry, hooks, agents, notes }) => {
  const shop = temporaryFolder();
  const parts = { agents: "./more/named.md", ...stop("entry"), lspServers: {} };
  put(shop, {
    ...market([{ ...tools, ...parts, ...entry }]),
    "tools/.claude-plugin/plugin.json": { name: "tools", ...stop("manifest") },
    "tools/hooks/hooks.json": stop("usual"),
    "tools/agents/usual.md": agent("usual"),
    "tools/more/named.md": agent("named"),
  });
  const { troupe, session } = user();
  await troupe("plugin", "marketplace", "add", shop);
  await troupe("plugin", "install", "tools@shop", "--yes");
  const run = await session();
  expect(run.agents).toEqual(agents);
  expect(JSON.stringify(run.hooks).match(/(?<="command":")\w+(?="})/g)).toEqual(hooks);
  for (const note of notes) expect(run.err).toContain(note);
});

test("whatever else a plug-in can have gets a line", async () => {
  const dir = temporaryFolder();
  const manifest = {
    ...{ name: "tools", version: "1.0.0", monitors: "./m.json", experimental: { themes: "./t" } },
    ...{ userConfig: {}, dependencies: ["a"], fancy: true, commands: 5 },
  };
  put(dir, {
    ".claude-plugin/plugin.json": manifest,
    ".lsp.json": {},
    "output-styles/a.md": "a",
    "bin/x": "",
    "settings.json": {},
  });
  const file = join(dir, ".claude-plugin/plugin.json");
  const { err } = await user().troupe("-p", "hello", "--offline", "--plugin-dir", dir);
  expect(err).toContain(`${file}: commands must be paths of files or directories; what is not is left out.`);
  expect(err).toContain(
    `${file}: monitors, experimental, dependencies, fancy of the plug-in tools are not used here.`,
  );
  expect(err).toContain(
    `output-styles, .lsp.json, settings.json, bin of the plug-in tools are not used here.`,
  );
});

/** A marketplace in git, with a plug-in in a repository of its own. */
async function repositories() {
  const own = await emptyRepository("own");
  own.write({ "agents/reader.md": agent("first"), "hooks/hooks.json": JSON.stringify(stop("one")) });
  const first = await own.commit("first");
  await own.must(["tag", "v1"]);
  own.write({ "agents/reader.md": agent("second"), "hooks/hooks.json": JSON.stringify(stop("two")) });
  const second = await own.commit("second");
  const shop = await emptyRepository("shop");
  const url = `file://${own.folder}`;
  const publish = async (more: object, files: Readonly<Record<string, string>> = {}) => {
    const plugins = [{ name: "own", source: { source: "url", url, ...more } }, tools];
    shop.write({
      ".claude-plugin/marketplace.json": JSON.stringify({ name: "shop", plugins }),
      "tools/agents/writer.md": agent("writer"),
      ...files,
    });
    await shop.commit("published");
  };
  return { own, shop, url, first, second, publish };
}

const named = async (session: Promise<{ readonly agents: readonly string[] | undefined }>) =>
  (await session).agents;

test.each([
  ["its newest state", () => ({}), "own:second"],
  ["a tag", () => ({ ref: "v1" }), "own:first"],
  ["a commit", ({ first }: { first: string }) => ({ sha: first }), "own:first"],
  ["a commit as ref", ({ first }: { first: string }) => ({ ref: first }), "own:first"],
  ["a commit before a branch", ({ first }: { first: string }) => ({ ref: "main", sha: first }), "own:first"],
])("a plug-in in git is used at %s", { tags: ["long"] }, async (_, pin, expected) => {
  const { shop, publish, first } = await repositories();
  await publish(pin({ first }));
  const { troupe, session } = user();
  const url = `file://${shop.folder}`;
  expect(await troupe("plugin", "marketplace", "add", url)).toMatchObject({
    ...{ code: 0, err: `Cloning ${url} …\n` },
  });
  expect(await troupe("plugin", "install", "own@shop", "--yes")).toMatchObject({ code: 0 });
  expect(await named(session())).toEqual([expected]);
});

test("what git does not have is one clear sentence, and leaves nothing behind", {
  tags: ["long"],
}, async () => {
  const { shop, url, publish } = await repositories();
  const { troupe, homedir } = user();
  const none = "0".repeat(40);
  await publish({ sha: none });
  await troupe("plugin", "marketplace", "add", `file://${shop.folder}`);
  const install = ["plugin", "install", "own@shop", "--yes"];
  const noCommit = await troupe(...install);
  expect(noCommit.code).not.toBe(0);
  expect(noCommit.err).toContain(`troupe: ${url} has no commit ${none}.\n`);
  await publish({ ref: "nowhere" });
  await troupe("plugin", "update", "shop");
  expect((await troupe(...install)).err).toContain(`${url} has no branch or tag nowhere.`);
  expect(readdirSync(join(homedir, ".troupe/plugins/cache/shop"))).toEqual([]);
  const gone = await troupe("plugin", "marketplace", "add", "file:///nowhere/at/all");
  expect(gone.code).not.toBe(0);
  expect(gone.err).toContain("file:///nowhere/at/all could not be cloned: ");
  const branch = await troupe("plugin", "marketplace", "add", `file://${shop.folder}#nope`);
  expect(branch.err).toContain(`file://${shop.folder} has no branch or tag nope.`);
});

test("update gets what has changed, and it counts when it is agreed to again", {
  tags: ["long"],
  timeout: 180_000,
}, async () => {
  const { own, shop, publish } = await repositories();
  await publish({}, { "tools/hooks/hooks.json": JSON.stringify(stop("./run.sh")), "tools/run.sh": "1" });
  const { run, troupe, session } = user();
  await troupe("plugin", "marketplace", "add", `file://${shop.folder}`);
  for (const id of ["own@shop", "tools@shop"]) await troupe("plugin", "install", id, "--yes");
  const all = ["own:second", "tools:writer"];
  expect(await named(session())).toEqual(all);
  const same = await troupe("plugin", "update");
  expect(same).toMatchObject({
    code: 0,
    out: expect.stringContaining("The plug-in own@shop has not changed"),
  });
  expect(await named(session())).toEqual(all);

  own.write({ "agents/reader.md": agent("third") });
  await own.commit("third");
  await publish({}, { "tools/run.sh": "2" });
  const declined = await run(["plugin", "update", "shop"], { stdin: "n\n" });
  expect(declined.code).toBe(1);
  expect(declined.err).toContain(
    "The plug-in tools@shop has changed, so it is left out until you agree: troupe plugin enable tools@shop asks.",
  );
  expect(await named(session())).toEqual([]);
  expect(await troupe("plugin", "enable", "own@shop", "--yes")).toMatchObject({ code: 0 });
  expect(await named(session())).toEqual(["own:third"]);
  expect(await troupe("plugin", "update", "tools@shop", "--yes")).toMatchObject({ code: 0 });
  expect(await named(session())).toEqual(["own:third", "tools:writer"]);
  expect((await troupe("plugin", "update", "nothing")).code).toBe(2);
});

test.each<[string, (troupe: Troupe, homedir: string, url: string) => unknown]>([
  [
    "an update that was cut off when the files were in place",
    async (troupe, homedir) => {
      const agreed = readFileSync(join(homedir, ".troupe/trusted.json"));
      await troupe("plugin", "update");
      writeFileSync(join(homedir, ".troupe/trusted.json"), agreed);
      await troupe("plugin", "update");
    },
  ],
  [
    "an update that was cut off when the old files were gone",
    async (troupe, homedir) => {
      rmSync(join(homedir, ".troupe/plugins"), { recursive: true });
      await troupe("plugin", "update");
    },
  ],
  ["the marketplace, added again", (troupe, _, url) => troupe("plugin", "marketplace", "add", url)],
])("changed files of a clone need a new agreement, also after %s", { tags: ["long"] }, async (_, change) => {
  const { shop, publish } = await repositories();
  await publish({}, { "tools/hooks/hooks.json": JSON.stringify(stop("./run.sh")), "tools/run.sh": "1" });
  const { troupe, session, homedir } = user();
  const url = `file://${shop.folder}`;
  await troupe("plugin", "marketplace", "add", url);
  await troupe("plugin", "install", "tools@shop", "--yes");
  expect((await session()).hooks).toHaveLength(1);
  await publish({}, { "tools/run.sh": "2" });
  await change(troupe, homedir, url);
  const run = await session();
  expect(run).toMatchObject({
    hooks: [],
    err: expect.stringContaining("troupe plugin enable tools@shop asks"),
  });
  expect(await troupe("plugin", "enable", "tools@shop", "--yes")).toMatchObject({ code: 0 });
  expect((await session()).hooks).toHaveLength(1);
});

test("links of a plug-in lead no further than its marketplace", async () => {
  const [shop, secrets] = [temporaryFolder(), temporaryFolder()];
  put(secrets, { "a.md": agent("secret"), "SKILL.md": "secret", "hooks.json": stop("true") });
  put(shop, {
    ...market([tools, { name: "away", source: "./away" }]),
    "shared/agents/shared.md": agent("shared"),
    "tools/hooks/readme": "",
    "tools/skills/one/readme": "",
  });
  put(secrets, { "agents/b.md": agent("away"), ".mcp.json": { mcpServers: { s: { command: "true" } } } });
  for (const [link, to] of [
    ["tools/agents", join(shop, "shared/agents")],
    ["shared/agents/secret.md", join(secrets, "a.md")],
    ["tools/skills/one/SKILL.md", join(secrets, "SKILL.md")],
    ["tools/hooks/hooks.json", join(secrets, "hooks.json")],
    ["away", secrets],
  ] as const)
    symlinkSync(to, join(shop, link));
  const { troupe, session, project, homedir } = user();
  await troupe("plugin", "marketplace", "add", shop);
  for (const id of ["tools@shop", "away@shop"]) await troupe("plugin", "install", id, "--yes");
  const run = await session();
  expect(run).toMatchObject({ agents: ["tools:shared"], hooks: [] });
  for (const path of ["tools/agents/secret.md", "away/agents"])
    expect(run.err).toContain(
      `${join(shop, path)} was left out: it leads out of its marketplace to ${secrets}`,
    );
  for (const path of ["tools/hooks/hooks.json", "away/.mcp.json"])
    expect(run.err).toContain(`${join(shop, path)} leads out of its marketplace`);
  expect(run.err).not.toContain("--trust");
  const { options } = await troupe("-p", "hello", "--offline");
  const plugins = options?.skills?.search?.plugins ?? [];
  const where = {
    cwd: project,
    ...userPlaces({}, homedir),
    home: homedir,
    managed: project,
    shipped: false,
    plugins,
  };
  const may = { trusted: () => true, agreed: () => true, denied: () => false };
  expect((await skillLibrary({ ...where, ...may }, diskFiles).look()).all).toEqual([]);
  // What the user names is the user's own.
  const named = await troupe("-p", "hello", "--offline", "--plugin-dir", join(shop, "tools"));
  expect(named.options?.agents?.map(({ name }) => name)).toContain("tools:secret");
});

test.each(["an enabled plug-in", "--plugin-dir"])(
  "a skill that comes to ask for more during a session is left out: %s",
  async (how) => {
    const shop = temporaryFolder();
    const skill = (tools: string) => `---\nallowed-tools: ${tools}\n---\nGo.`;
    put(shop, { ...market([tools]), "tools/skills/go/SKILL.md": skill("Bash(ls)") });
    const { troupe, project, homedir } = user();
    await troupe("plugin", "marketplace", "add", shop);
    if (how !== "--plugin-dir") await troupe("plugin", "install", "tools@shop", "--yes");
    const flags = how === "--plugin-dir" ? [how, join(shop, "tools")] : [];
    const { options } = await troupe("-p", "hello", "--offline", ...flags);
    const plugins = options?.skills?.search?.plugins ?? [];
    const where = {
      cwd: project,
      ...userPlaces({}, homedir),
      home: homedir,
      managed: project,
      shipped: false,
      plugins,
    };
    const may = { trusted: () => true, agreed: () => true, denied: () => false };
    const library = skillLibrary({ ...where, ...may }, diskFiles);
    const names = async () => (await library.look()).all.map(({ name }) => name);
    expect(await names()).toEqual(["tools:go"]);
    const file = join(shop, "tools/skills/go/SKILL.md");
    for (const more of [skill("Bash(ls), Bash(rm *)"), `${skill("Bash(ls)")}\n!\`rm -r x\``]) {
      put(shop, { "tools/skills/go/SKILL.md": more });
      expect(await names()).toEqual([]);
      expect(library.now.notes.join()).toMatch(`${file} was left out, because it has changed and would now`);
    }
    put(shop, { "tools/skills/go/SKILL.md": `${skill("Bash(ls)")} Better.` });
    expect(await names()).toEqual(["tools:go"]);
  },
);

const github = (repo: string) => ({ source: "github", repo });

test.each<[string, object, string]>([
  ["an empty list allows none", { strictKnownMarketplaces: [] }, "strictKnownMarketplaces"],
  ["others are allowed", { strictKnownMarketplaces: [github("a/b")] }, "strictKnownMarketplaces"],
  [
    "its path is blocked",
    { blockedMarketplaces: [{ source: "pathPattern", pathPattern: "shop" }] },
    "blockedMarketplaces",
  ],
  ["a list that is wrong allows none", { strictKnownMarketplaces: "all" }, "strictKnownMarketplaces"],
  ["a list that is wrong blocks all", { blockedMarketplaces: 1 }, "blockedMarketplaces"],
])("the organisation's settings keep a marketplace out: %s", async (_, managed, key) => {
  const shop = temporaryFolder("shop-");
  put(shop, { ...market([tools]), "tools/agents/reader.md": agent("reader") });
  const { troupe, session, homedir } = user({ managed });
  const added = await troupe("plugin", "marketplace", "add", shop);
  expect(added).toMatchObject({ code: 2, err: expect.stringContaining(`(${key})`) });
  // As if it had been there before.
  put(homedir, {
    ".claude/settings.json": {
      extraKnownMarketplaces: { shop: { source: { source: "directory", path: shop } } },
      enabledPlugins: { "tools@shop": true },
    },
  });
  for (const args of [["update"], ["install", "tools@shop", "--yes"], ["list"]])
    expect((await troupe("plugin", ...args)).err).toContain(`(${key})`);
  const run = await session();
  expect(run).toMatchObject({ agents: [], err: expect.stringContaining(`(${key})`) });
});

test.each([
  "acme/tools",
  "https://github.com/acme/tools",
  "https://user@github.com/ACME/tools.git/",
  "git@github.com:acme/tools.git",
  "ssh://git@github.com:22/acme/tools.git#v2",
])("a blocked repository is blocked in every form, before git is asked: %s", async (where) => {
  const { troupe } = user({ managed: { blockedMarketplaces: [github("acme/tools")] } });
  const { code, err } = await troupe("plugin", "marketplace", "add", where);
  expect(code).toBe(2);
  expect(err).toContain("is blocked by your organisation (blockedMarketplaces)");
  expect(err).not.toContain("Cloning");
});

test("a project proposes a plug-in: it is used when the user has agreed to it, and only there", async () => {
  const { project, run, troupe, session, settings, homedir } = user();
  put(project, {
    ".claude/settings.json": {
      enabledPlugins: { "tools@team": true, "quiet@team": true },
      extraKnownMarketplaces: { team: { source: { source: "directory", path: "./market" } } },
    },
    ...Object.fromEntries(
      Object.entries({
        ".claude-plugin/marketplace.json": {
          name: "team",
          plugins: [tools, { name: "quiet", source: "./quiet" }, { name: "other", source: "./quiet" }],
        },
        "tools/hooks/hooks.json": stop("true"),
        "quiet/agents/reader.md": agent("reader"),
      }).map(([path, value]) => [`market/${path}`, value]),
    ),
  });
  const before = await session();
  expect(before).toMatchObject({ agents: [], hooks: [] });
  expect(before.err).toContain(
    'You have not agreed to what the plug-in tools@team, which this project\'s settings enable, runs (run "true" as a hook (Stop)), so it is left out; troupe plugin enable tools@team asks.',
  );
  expect(before.err).toContain(
    "You have not agreed to the plug-in quiet@team, which this project's settings enable, so it is left out; troupe plugin enable quiet@team asks.",
  );
  expect(before.err).not.toContain("may not widen");
  const trusted = await troupe("-p", "hello", "--offline", "--trust");
  expect(trusted.options).toMatchObject({ agents: [], hooks: [] });

  expect((await troupe("plugin", "list")).out).toContain("quiet@team  enabled by this project\n");
  expect(await troupe("plugin", "install", "quiet@team")).toMatchObject({ code: 0 });
  expect(await run(["plugin", "install", "tools@team"], { stdin: "y\n" })).toMatchObject({ code: 0 });
  expect(existsSync(join(homedir, ".claude/settings.json"))).toBe(false);
  expect(await session()).toMatchObject({ agents: ["quiet:reader"], hooks: [{ scope: "user" }] });
  expect((await troupe("plugin", "install", "other@team")).err).toContain("in this project's settings only");

  put(project, { "market/tools/hooks/hooks.json": stop("false") });
  expect(await session()).toMatchObject({ agents: ["quiet:reader"], hooks: [] });
  expect((await troupe("plugin", "remove", "quiet@team")).err).toContain("troupe plugin disable quiet@team");
  expect(await troupe("plugin", "disable", "quiet@team")).toMatchObject({ code: 0 });
  expect(settings()).toEqual({ enabledPlugins: { "quiet@team": false } });
  expect(await session()).toMatchObject({ agents: [] });
});

test("a project cannot move the user's marketplace, nor switch off the user's plug-in", async () => {
  const shop = temporaryFolder();
  put(shop, { ...market([tools]), "tools/agents/reader.md": agent("reader") });
  const { project, troupe, session } = user();
  put(project, {
    ".claude/settings.json": {
      enabledPlugins: { "tools@shop": false },
      extraKnownMarketplaces: { shop: { source: { source: "directory", path: "./elsewhere" } } },
    },
  });
  await troupe("plugin", "marketplace", "add", shop);
  await troupe("plugin", "install", "tools@shop");
  expect(await session()).toMatchObject({ agents: ["tools:reader"] });
});

test("troupe.pluginFolders is the same as --plugin-dir in every session", async () => {
  const { homedir, session } = user();
  put(homedir, {
    ".claude/settings.json": { troupe: { pluginFolders: ["~/tools", "~/none"] } },
    "tools/agents/reader.md": agent("reader"),
    "tools/hooks/hooks.json": stop("true"),
  });
  const run = await session();
  expect(run).toMatchObject({ agents: ["tools:reader"], hooks: [{ scope: "user" }] });
  expect(run.err).toContain("runs hooks at Stop.");
  expect(run.err).toContain("there is no directory ~/none; it is left out.");
});

test.each([["permissions", "list"], ["config", "list"], ["doctor"], ["worktrees", "list"]])(
  "--plugin-dir is a flag of troupe %s",
  async (...argv) => {
    const dir = temporaryFolder();
    put(dir, { "hooks/hooks.json": { hooks: { PreToolUse: [hook("true")] } } });
    const { out, err } = await user().troupe(...argv, "--plugin-dir", dir);
    expect(err).not.toContain("--plugin-dir");
    if (argv[0] === "config") expect(out).toContain(join(dir, "hooks/hooks.json"));
    if (argv[0] === "permissions") expect(err).toContain("runs hooks at PreToolUse.");
  },
);
