import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentsInFlag } from "../../../src/context/agents/from-fields.ts";
import { agentLibrary } from "../../../src/context/agents/load.ts";
import { diskFiles, type Files } from "../../../src/context/files.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { agentsIn, loaded, places, simple } from "./agent-files.ts";

const promptOf = (text: string) => ({ "a.md": simple("a", "", text) });

describe("of several agents with one name", () => {
  test("takes the organization's before the flag's, the project's and the user's own", async () => {
    const here = places();
    const flag = { A: { description: "x", prompt: "flag" } };
    agentsIn(here.homedir, promptOf("user"));
    expect((await loaded(here)).agents.map(({ prompt }) => prompt)).toEqual(["user"]);
    agentsIn(here.project, promptOf("project"));
    expect((await loaded(here)).agents.map(({ prompt }) => prompt)).toEqual(["project"]);
    expect((await loaded(here, { flag })).agents.map(({ prompt }) => prompt)).toEqual(["flag"]);
    agentsIn(here.managed, promptOf("enterprise"));
    const { agents, shadowed, problems } = await loaded(here, { flag });
    expect(agents.map(({ prompt }) => prompt)).toEqual(["enterprise"]);
    expect(agents[0]?.source).toMatchObject({ scope: "enterprise" });
    expect(shadowed.map(({ source }) => source?.scope)).toEqual(["flag", "project", "user"]);
    expect(problems).toEqual([]);
  });

  test("the nearest folder of the project comes first, and nothing above the repository is read", async () => {
    const here = places();
    const outer = temporaryFolder();
    const repository = join(outer, "repository");
    const cwd = join(repository, "packages", "one");
    mkdirSync(join(repository, ".git"), { recursive: true });
    mkdirSync(cwd, { recursive: true });
    agentsIn(outer, { "outer.md": simple("outer") });
    agentsIn(repository, { ...promptOf("top"), "b.md": simple("b") });
    agentsIn(cwd, promptOf("near"));
    const { agents } = await loaded(here, { cwd });
    expect(agents.map(({ name, prompt }) => [name, prompt])).toEqual([
      ["a", "near"],
      ["b", "You are b."],
    ]);
  });

  test("without a repository only the directory itself is asked", async () => {
    const here = places();
    const outer = temporaryFolder();
    const cwd = join(outer, "inner");
    mkdirSync(cwd);
    agentsIn(outer, promptOf("outer"));
    expect((await loaded(here, { cwd })).agents).toEqual([]);
  });

  test("two in one folder are a mistake, which names both; case and separators make no other name", async () => {
    const here = places();
    agentsIn(here.project, { "x/one.md": simple("Code Fixer"), "y/two.md": simple("code_fixer") });
    const { agents, problems } = await loaded(here);
    expect(agents.map(({ name }) => name)).toEqual(["Code Fixer"]);
    expect(problems).toMatchObject([
      {
        file: join(here.project, ".claude/agents/y/two.md"),
        message: expect.stringMatching(
          /^There is an agent code_fixer already, in .*x\/one\.md; this one is not used\. Give one of them another name\.$/,
        ),
      },
    ]);
  });

  test("reads the user's own agents once, as their own, in the home directory", async () => {
    const here = places();
    agentsIn(here.homedir, promptOf("mine"));
    const { agents, problems } = await loaded(here, { cwd: here.homedir, trusted: false });
    expect(agents.map(({ source }) => source?.scope)).toEqual(["user"]);
    expect(problems).toEqual([]);
  });
});

describe("the content of an agents directory", () => {
  test("links in a circle, pipes, folders named like files, other files: none of it hurts", async () => {
    const here = places();
    agentsIn(here.project, {
      "a.md": simple("a"),
      "deep/b.md": simple("b"),
      "notes.txt": "x",
      "c.MD": simple("c"),
    });
    const folder = join(here.project, ".claude/agents");
    symlinkSync(folder, join(folder, "deep/again"));
    symlinkSync("loop.md", join(folder, "loop.md"));
    symlinkSync("nowhere.md", join(folder, "gone.md"));
    symlinkSync(join(folder, "a.md"), join(folder, "same.md"));
    mkdirSync(join(folder, "folder.md"));
    execFileSync("mkfifo", [join(folder, "pipe.md")]);
    const { agents, problems } = await loaded(here);
    expect(agents.map(({ name }) => name).sort()).toEqual(["a", "b", "c"]);
    expect(problems).toMatchObject([
      { file: join(folder, "loop.md"), message: "is a link that leads back to itself." },
      { file: join(folder, "pipe.md"), message: "is not a regular file." },
    ]);
  });

  test("a file in the place of the directory, and folders that may not be read, are no agents", async () => {
    const here = places();
    mkdirSync(join(here.project, ".claude"));
    writeFileSync(join(here.project, ".claude/agents"), "x");
    agentsIn(here.homedir, { "closed/a.md": simple("a"), "b.md": simple("b") });
    chmodSync(join(here.homedir, ".claude/agents/closed"), 0o000);
    const { agents } = await loaded(here);
    chmodSync(join(here.homedir, ".claude/agents/closed"), 0o700);
    expect(agents.map(({ name }) => name)).toContain("b");
  });

  test("thousands are bounded, and what was left out is said once", { tags: ["long"] }, async () => {
    const here = places();
    const files = Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`a${n}.md`, simple(`a${n}`)]));
    agentsIn(here.project, files);
    const { agents, problems } = await loaded(here);
    expect(agents).toHaveLength(2_000);
    expect(problems).toMatchObject([{ message: expect.stringMatching(/more than 2000 Markdown files/) }]);
  });

  test("folders below folders end somewhere", async () => {
    const here = places();
    agentsIn(here.project, { [`${"d/".repeat(12)}a.md`]: simple("a") });
    const { agents, problems } = await loaded(here);
    expect(agents).toEqual([]);
    expect(problems).toMatchObject([{ message: "is more than 8 directories deep, so it was not read." }]);
  });

  test("a mistake in one leaves the others usable", async () => {
    const here = places();
    agentsIn(here.project, { "1.md": "broken", "2.md": "---\n---\n", "3.md": simple("three", "model: {\n") });
    const { agents, problems } = await loaded(here);
    expect(agents.map(({ name }) => name)).toEqual(["three"]);
    expect(new Set(problems.map(({ file }) => file)).size).toBe(3);
  });
});

describe("in a directory that is not trusted", () => {
  const powers =
    "permissionMode: acceptEdits\nhooks: {Stop: [{hooks: []}]}\nmcpServers: [{db: {command: x}}, github]\n";

  test("definitions are read, but hooks, servers and wider modes do not count, which is said once", async () => {
    const here = places();
    agentsIn(here.project, { "a.md": simple("a", powers), "b.md": simple("b", "permissionMode: plan\n") });
    agentsIn(here.homedir, { "mine.md": simple("mine", powers) });
    const { agents, inert, problems } = await loaded(here, { trusted: false });
    const [a, b, mine] = agents;
    expect(a).toMatchObject({ prompt: "You are a.", mcpServers: { named: ["github"], own: {} } });
    expect(a).not.toHaveProperty("hooks");
    expect(a).not.toHaveProperty("permissionMode");
    expect(b).toMatchObject({ permissionMode: "plan" });
    expect(mine).toMatchObject({ permissionMode: "acceptEdits", hooks: {}, mcpServers: { own: { db: {} } } });
    expect(inert).toBe(
      "This directory is not trusted, so some of what its agent definitions say does not count: a (hooks, MCP servers, permissionMode acceptEdits). --trust lets it count for this run.",
    );
    expect(problems).toEqual([]);
  });

  test("merging edits without a question does not count either; asking and keeping them does (issue 14)", async () => {
    const here = places();
    const merges = ["apply", "ask", "commit", "keep"];
    for (const mode of merges) agentsIn(here.project, { [`${mode}.md`]: simple(mode, `merge: ${mode}\n`) });
    const { agents, inert } = await loaded(here, { trusted: false });
    expect(agents.map(({ merge }) => merge)).toEqual([undefined, "ask", undefined, "keep"]);
    expect(inert).toContain("apply (merge apply); commit (merge commit)");
    expect((await loaded(here)).agents.map(({ merge }) => merge)).toEqual(merges);
  });

  test("applies them if the directory is trusted", async () => {
    const here = places();
    agentsIn(here.project, { "a.md": simple("a", powers) });
    const { agents, inert } = await loaded(here);
    expect(agents[0]).toMatchObject({ permissionMode: "acceptEdits", mcpServers: { named: ["github"] } });
    expect(inert).toBeNull();
  });

  test("follows no link out of the project", async () => {
    const here = places();
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, "secret.md"), simple("secret"));
    agentsIn(here.project, { "a.md": simple("a") });
    const folder = join(here.project, ".claude/agents");
    symlinkSync(elsewhere, join(folder, "linked"));
    symlinkSync(join(elsewhere, "secret.md"), join(folder, "secret.md"));
    const { agents, problems } = await loaded(here, { trusted: false });
    expect(agents.map(({ name }) => name)).toEqual(["a"]);
    expect(problems.map(({ message }) => message)).toEqual([
      `was left out: it leads out of the project to ${elsewhere}; --trust allows it for this run.`,
      `was left out: it leads out of the project to ${join(elsewhere, "secret.md")}; --trust allows it for this run.`,
    ]);
    expect((await loaded(here)).agents.map(({ name }) => name).sort()).toEqual(["a", "secret"]);
  });
});

describe("an untrusted project's agent that takes another's name", () => {
  test.each([
    ["the built-in name", simple("Explore"), "Explore"],
    ["its name in other letters", simple("eXPLORE"), "eXPLORE"],
    ["its name with separators", simple("general purpose"), "general purpose"],
    ["an alias of a built-in one", simple("reviewer"), "reviewer"],
    ["an alias that is a built-in name", simple("harmless", "aliases: [Plan]\n"), "harmless"],
  ])("is left out and named if it has %s (issue 14)", async (_, text, name) => {
    const here = places();
    agentsIn(here.project, { "a.md": text, "own.md": simple("own") });
    const untrusted = await loaded(here, { trusted: false });
    expect(untrusted.agents.map((agent) => agent.name)).toEqual(["own"]);
    expect(untrusted.shadowed.map((agent) => agent.name)).toEqual([name]);
    expect(untrusted.inert).toBe(
      `This directory is not trusted, so its agents do not replace others of the same name; left out: ${name} (the built-in one stays). --trust lets them count for this run.`,
    );
    const trusted = await loaded(here);
    expect(trusted.agents.map((agent) => agent.name)).toEqual([name, "own"]);
    expect(trusted.inert).toBeNull();
  });

  test("leaves the user's agent and the flag's in place, whichever of their names it takes", async () => {
    const here = places();
    agentsIn(here.homedir, { "a.md": simple("My Deployer", "aliases: [ship]\n", "user") });
    const flag = { Quick: { description: "x", prompt: "flag", aliases: ["fast"] } };
    agentsIn(here.project, {
      "a.md": simple("my_deployer", "", "project"),
      "b.md": simple("SHIP", "", "project"),
      "c.md": simple("other", "aliases: [fast]\n", "project"),
    });
    const { agents, inert } = await loaded(here, { trusted: false, flag });
    expect(agents.map(({ prompt }) => prompt)).toEqual(["flag", "user"]);
    expect(inert).toContain(
      "left out: my_deployer (yours stays), SHIP (yours stays), other (yours stays). --trust",
    );
    expect((await loaded(here, { flag })).agents.map(({ name }) => name)).toContain("my_deployer");
  });
});

test("a file is read again only if it has changed, and the same object returns until something has", async () => {
  const { project: cwd, homedir, managed } = places();
  agentsIn(cwd, { "one.md": simple("one", "permissionMode: acceptEdits\n"), "all.md": simple("all") });
  let [agreed, reads] = [false, 0];
  const files: Files = {
    ...diskFiles,
    read(path, most) {
      reads += 1;
      return diskFiles.read(path, most);
    },
  };
  const library = agentLibrary(
    { cwd, ...userPlaces({}, homedir), managed, trusted: () => false, agreed: () => agreed },
    files,
  );
  const names = async () => (await library.look()).agents.map(({ name }) => name);
  const first = await library.look();
  expect(first.agents.map(({ permissionMode }) => permissionMode)).toEqual([undefined, undefined]);
  writeFileSync(join(cwd, ".claude/agents/beside.txt"), "Not an agent.");
  expect(await library.look()).toBe(first);
  agreed = true;
  expect((await library.look()).agents[1]?.permissionMode).toBe("acceptEdits");
  expect(reads).toBe(2);
  agentsIn(cwd, { "deep/two.md": simple("two") });
  agentsIn(homedir, { "three.md": simple("three") });
  renameSync(join(cwd, ".claude/agents/deep"), join(cwd, ".claude/agents/z"));
  expect(await names()).toEqual(["all", "one", "two", "three"]);
  agentsIn(cwd, { "one.md": simple("one", "", "You are another.") });
  expect((await library.look()).agents[1]?.prompt).toBe("You are another.");
  expect(reads).toBe(5);
});

test("--agents: an object of agents by name; what is wrong is named", () => {
  const { agents, problems } = agentsInFlag({
    reviewer: { description: "Reviews.", prompt: "Review.", tools: ["Read"], model: "haiku" },
    "no prompt": { description: "x" },
    list: [],
    odd: { description: "x", prompt: "y", maxTurns: -1 },
  });
  expect(agents).toMatchObject([
    { name: "reviewer", tools: ["Read"], model: "haiku", source: { scope: "flag" } },
    { name: "odd" },
  ]);
  expect(problems.map(({ message }) => message)).toEqual([
    "--agents, no prompt: There is no prompt.",
    "--agents, list: must be an object with a description and a prompt.",
    "--agents, odd: maxTurns must be a whole number from 1 to 100000; it does not count.",
  ]);
});

test("whatever keys and values there are, an agent or a problem comes of it", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.oneof(
          fc.constantFrom(
            "tools",
            "model",
            "hooks",
            "mcpServers",
            "output_schema",
            "budget",
            "name",
            "description",
          ),
          fc.string(),
        ),
        fc.jsonValue(),
      ),
      fc.string(),
      (fields, prompt) => {
        const { agents, problems } = agentsInFlag({ some: { ...fields, prompt } });
        expect(agents.length + problems.length).toBeGreaterThan(0);
        for (const { name, whenToUse, tools } of agents) {
          expect(name).toMatch(/^\S.{0,63}$/u);
          expect(whenToUse.length).toBeLessThanOrEqual(1_000);
          expect(tools === "all" || tools.every((tool) => typeof tool === "string")).toBe(true);
        }
      },
    ),
  );
});
