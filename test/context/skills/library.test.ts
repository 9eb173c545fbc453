import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { diskFiles, type Files } from "../../../src/context/files.ts";
import { skillGrants } from "../../../src/context/skills/grants.ts";
import { skillLibrary } from "../../../src/context/skills/library.ts";
import { type CalledSkill, skillNamed, skillTyped } from "../../../src/context/skills/skill.ts";
import type { SkillSearch } from "../../../src/context/skills/skill-dirs.ts";
import { nearNames } from "../../../src/lib/near-name.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { builtInSkills } from "../../support/built-in-skills.ts";
import { temporaryFolder } from "../../support/temporary.ts";

function world(files: Readonly<Record<string, string>>, search: Partial<SkillSearch> = {}) {
  const top = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  mkdirSync(join(top, "project/.git"), { recursive: true });
  let reads = 0;
  const counting: Files = {
    ...diskFiles,
    read(path, most) {
      if (path.endsWith(".md")) reads += 1;
      return diskFiles.read(path, most);
    },
  };
  const where: SkillSearch = {
    cwd: join(top, "project"),
    ...userPlaces({}, join(top, "home")),
    home: join(top, "home/.troupe"),
    managed: join(top, "managed"),
    shipped: false,
    trusted: () => false,
    agreed: () => false,
    denied: () => false,
    ...search,
  };
  return {
    top,
    where,
    write,
    library: () => skillLibrary(where, counting),
    reads: () => reads,
  };
}

const called = (found: CalledSkill) => (found.type === "skill" ? found.skill : undefined);
const skill = (description: string, more = "") => `---\ndescription: ${description}\n${more}---\nDo it.\n`;
const P = "project/.claude/skills";

describe("where skills are", () => {
  test("reads the organization's, the user's, the project's up to the top of its repository, and plug-ins', in this order", async () => {
    const { library, top, where } = world({
      "managed/.claude/skills/one/SKILL.md": skill("managed"),
      "home/.claude/skills/one/SKILL.md": skill("home"),
      "home/.claude/skills/two/SKILL.md": skill("home"),
      "home/.claude/commands/two.md": "command",
      "project/.claude/skills/two/SKILL.md": skill("project"),
      "project/.claude/skills/three/SKILL.md": skill("top"),
      "project/inner/deep/.claude/skills/three/SKILL.md": skill("deep"),
      "project/inner/.claude/commands/a/b/c.md": "---\nargument-hint: [x] [y]\n---\n# The title\n\nBody",
      ".claude/skills/above/SKILL.md": skill("above the repository"),
      "plug/skills/three/SKILL.md": skill("plug"),
      "plug/commands/go.md": "Go.",
      "plug/.claude-plugin/plugin.json": '{"name":"tools"}',
    });
    const cwd = join(top, "project/inner/deep");
    const { all, notes } = await skillLibrary(
      { ...where, cwd, plugins: [{ dir: join(top, "plug") }] },
      diskFiles,
    ).look();
    expect(notes).toEqual([]);
    expect(all.map(({ name, origin, description }) => [name, origin, description])).toEqual([
      ["a:b:c", "project", "The title"],
      ["three", "project", "deep"],
      ["two", "user", "home"],
      ["one", "enterprise", "managed"],
      ["tools:go", "plugin", "Go."],
      ["tools:three", "plugin", "plug"],
    ]);
    expect(all[0]?.argumentHint).toBe("[x] [y]");
    expect(called(skillNamed("/a:b:c", all, () => true))?.name).toBe("a:b:c");
    expect(skillNamed("c", all, () => true)).toEqual({ type: "none" });
    expect(called(skillTyped("C", all))?.name).toBe("a:b:c");
    expect(
      nearNames(
        "thre",
        all.map(({ name }) => name),
      ),
    ).toEqual(["three", "tools:three"]);
    expect((await library().look()).all.map(({ name }) => name)).toEqual(["three", "two", "one"]);
  });

  test("reports misplaced skills with the right place; ignores notes and references", async () => {
    const { library, top } = world({
      [`${P}/flat.md`]: skill("flat"),
      [`${P}/README.md`]: "notes",
      [`${P}/group/one/SKILL.md`]: skill("too deep"),
      [`${P}/group/two/SKILL.md`]: skill("too deep"),
      [`${P}/good/SKILL.md`]: skill("good"),
      [`${P}/good/inner/SKILL.md`]: skill("an example in it"),
      [`${P}/_shared/words.md`]: "words",
    });
    const { all, notes } = await library().look();
    const at = (path: string) => join(top, P, path);
    expect(all.map(({ name }) => name)).toEqual(["good"]);
    expect(notes).toEqual([
      `${at("flat.md")}: a skill is a directory with a file SKILL.md in it, such as ${at("flat/SKILL.md")}.`,
      `${at("group/one/SKILL.md")}, ${at("group/two/SKILL.md")}: skills are looked for one directory deep; move them to ${at("NAME/SKILL.md")}.`,
    ]);
    for (const name of ["one", "two"]) rmSync(at(`group/${name}/SKILL.md`));
    // Where the next session takes the list as it was kept, too.
    expect((await library().look()).notes).toHaveLength(1);
    rmSync(at("flat.md"));
    expect((await library().look()).notes).toEqual([]);
  });

  test("the ten that come with Troupe can be read, are whole, and give way to others of their names (A12.3)", async () => {
    const { where } = world({ [`${P}/review/SKILL.md`]: skill("ours") });
    const search = { ...where, shipped: true, trusted: () => true };
    const { all, notes } = await skillLibrary(search, diskFiles).look();
    expect(notes).toEqual([]);
    expect(all.map(({ name }) => name).toSorted()).toEqual([...builtInSkills]);
    expect(all.find(({ name }) => name === "review")?.description).toBe("ours");
    for (const one of all.filter(({ origin }) => origin === "shipped")) {
      expect(one.description.length + (one.whenToUse?.length ?? 0)).toBeLessThan(248);
      expect(one.allowedTools).toEqual([]);
      expect(one.commands).toEqual([]);
      expect(readFileSync(one.path, "utf8").length).toBeGreaterThan(1_000);
    }
  });
});

describe("an untrusted project's skill that takes another's name", () => {
  const note = (names: string) =>
    `This directory is not trusted, so its skills do not replace others of the same name; left out: ${names}. --trust lets them count for this run.`;

  test.each([
    ["of a skill that comes with Troupe", `${P}/review/SKILL.md`, "review"],
    ["of one in other letters", "project/.claude/commands/REVIEW.md", "REVIEW"],
    ["of a command of the conversation in other letters", `${P}/Help/SKILL.md`, "Help"],
  ])("is left out and named if the name is that %s (issue 14)", async (_, path, name) => {
    const { where } = world({ [path]: skill("theirs"), [`${P}/own/SKILL.md`]: skill("own") });
    const search = { ...where, shipped: true, reserved: ["help"] };
    const untrusted = await skillLibrary(search, diskFiles).look();
    expect(untrusted.all.filter(({ origin }) => origin === "project").map((one) => one.name)).toEqual([
      "own",
    ]);
    expect(untrusted.notes).toEqual([note(`${name} (the built-in one stays)`)]);
    const trusted = await skillLibrary({ ...search, trusted: () => true }, diskFiles).look();
    expect(trusted.all.filter(({ origin }) => origin === "project").map((one) => one.name)).toContain(name);
    expect(trusted.notes).toEqual([]);
  });

  test("leaves the user's in place, by every name that can be typed for it, in the next session, too", async () => {
    const { library, where } = world({
      "home/.claude/commands/ops/deploy.md": "Mine.",
      "home/.claude/skills/ship/SKILL.md": skill("mine"),
      [`${P}/deploy/SKILL.md`]: skill("theirs", "allowed-tools: Bash(git push:*)\n"),
      [`${P}/Ship/SKILL.md`]: skill("theirs"),
    });
    {
      const one = library();
      const { all, notes } = await one.look();
      expect(all.map(({ name, origin }) => [name, origin])).toEqual([
        ["ops:deploy", "user"],
        ["ship", "user"],
      ]);
      expect(called(skillTyped("/deploy", all))?.name).toBe("ops:deploy");
      expect(notes).toEqual([note("Ship (yours stays), deploy (yours stays)")]);
      expect((await one.grants()).map(({ words }) => words)).toEqual([
        "use its skill Ship instead of yours",
        "use its skill deploy instead of yours",
        "use Bash(git push:*) without a question (skill deploy)",
      ]);
    }
    const trusted = await skillLibrary({ ...where, trusted: () => true }, diskFiles).look();
    expect(called(skillTyped("/deploy", trusted.all))?.origin).toBe("project");
  });
});

describe("a front-matter name", () => {
  test("is an alias: the directory is the name, and either one calls the skill (issue 20)", async () => {
    const { library } = world({
      [`${P}/multimodal-audiocraft/SKILL.md`]: skill("one", "name: audiocraft\n"),
      [`${P}/first/SKILL.md`]: skill("first", "name: same\n"),
      [`${P}/second/SKILL.md`]: skill("second", "name: same\n"),
      [`${P}/titled/SKILL.md`]: skill("titled", "name: A Title\n"),
    });
    const { all, notes } = await library().look();
    expect(notes).toEqual([]);
    expect(all.map(({ name, alias }) => [name, alias])).toEqual([
      ["first", "same"],
      ["multimodal-audiocraft", "audiocraft"],
      ["second", "same"],
      ["titled", "A Title"],
    ]);
    for (const name of ["multimodal-audiocraft", "/audiocraft", "/AudioCraft"])
      expect(called(skillTyped(name, all))?.description).toBe("one");
    for (const name of ["titled", "A Title", "titled (A Title)"])
      expect(called(skillNamed(name, all, () => true))?.name).toBe("titled");
  });

  test("that two skills share names both, unless only one of them may be called", async () => {
    const { library } = world({
      [`${P}/first/SKILL.md`]: skill("first", "name: same\n"),
      [`${P}/second/SKILL.md`]: skill("second", "name: same\nuser-invocable: false\n"),
      "project/.claude/commands/a/ship.md": "Ship a.",
      "project/.claude/commands/b/ship.md": "Ship b.",
    });
    const { all } = await library().look();
    const names = (found: CalledSkill) =>
      found.type === "several" ? found.skills.map(({ name }) => name) : called(found)?.name;
    expect(names(skillNamed("same", all, () => true))).toEqual(["first", "second"]);
    expect(names(skillTyped("/same", all))).toBe("first");
    expect(names(skillTyped("/Ship", all))).toEqual(["a:ship", "b:ship"]);
  });

  test("calls nothing if another skill or command has it as its name", async () => {
    const { where } = world({
      "home/.claude/skills/deploy/SKILL.md": skill("mine"),
      [`${P}/other/SKILL.md`]: skill("theirs", "name: Deploy\n"),
      [`${P}/more/SKILL.md`]: skill("theirs", "name: help\n"),
    });
    const { all } = await skillLibrary({ ...where, reserved: ["help"] }, diskFiles).look();
    expect(all.map(({ alias }) => alias)).toEqual([null, null, null]);
    expect(called(skillTyped("Deploy", all))?.description).toBe("mine");
  });
});

describe("what files say", () => {
  test("as people write it", async () => {
    const { library } = world({
      [`${P}/pdf/SKILL.md`]:
        "\ufeff---\r\nname: PDF Processing\r\ndescription: Extract text: tables, forms\r\nlicense: MIT\r\nmetadata:\r\n  author: x\r\nallowed-tools: Read, Bash(python *)\r\n---\r\nBody\r\n",
      [`${P}/b/SKILL.md`]:
        "---\nname: better\ndescription: >\n  Two lines\n  in one.\nwhen_to_use: often\nallowed_tools:\n  - Read\n  - Bash(git log:*)\ndisable-model-invocation: true\nuser-invocable: false\nmodel: haiku\ncontext: fork\nagent: Explore\n---\nB !`date`\n",
      "project/.claude/commands/plain.md":
        "---\nallowed-tools: [Read, Bash(git log:*)]\n---\nJust do $1.\nMore.",
      "project/.claude/commands/README.txt": "no command",
    });
    const { all, notes } = await library().look();
    expect(notes).toEqual([]);
    expect(all.map(({ name, alias }) => [name, alias])).toEqual([
      ["b", "better"],
      ["pdf", "PDF Processing"],
      ["plain", null],
    ]);
    expect(all[0]).toMatchObject({
      ...{ description: "Two lines in one.", whenToUse: "often", allowedTools: ["Read", "Bash(git log:*)"] },
      ...{
        forModel: false,
        forUser: false,
        model: "haiku",
        forks: true,
        agent: "Explore",
        commands: ["date"],
      },
    });
    expect(all[1]).toMatchObject({
      description: "Extract text: tables, forms",
      allowedTools: ["Read", "Bash(python *)"],
    });
    expect(all[2]).toMatchObject({
      ...{ description: "Just do $1.", kind: "command", allowedTools: ["Read", "Bash(git log:*)"] },
    });
    expect(skillGrants(all).map(({ words }) => words)).toEqual([
      "use Read without a question (skill b)",
      "use Bash(git log:*) without a question (skill b)",
      'run "date" when the skill b is loaded',
      "use Read without a question (skill pdf)",
      "use Bash(python *) without a question (skill pdf)",
      "use Read without a question (skill plain)",
      "use Bash(git log:*) without a question (skill plain)",
    ]);
  });

  test("reports what is wrong with file and line, and loads the others", async () => {
    const { library, where } = world({
      [`${P}/open/SKILL.md`]: "---\nname: open\n",
      [`${P}/empty/SKILL.md`]: "---\nname: empty\ndescription: x\n---\n",
      [`${P}/odd/SKILL.md`]:
        "---\ndescription: x\nuser-invocable: perhaps\ncontext: moon\nallowed-tools: {a: 1}\n---\nB",
      [`${P}/typo/SKILL.md`]: "---\ndesciption: x\ncolor: red\ntools: Read\nmodel: opus\n---\nB",
      [`${P}/bad name!/SKILL.md`]: "Body",
      [`${P}/huge/SKILL.md`]: "x".repeat(300_000),
      [`${P}/fine/SKILL.md`]: skill("fine"),
      [`${P}/folder/notes.md`]: "no skill",
    });
    mkdirSync(join(where.cwd, ".claude/skills/dir/SKILL.md"), { recursive: true });
    const { all, notes } = await library().look();
    expect(all.map(({ name }) => name)).toEqual(["fine", "odd", "typo"]);
    const at = (name: string) => join(where.cwd, ".claude/skills", name, "SKILL.md");
    const told = notes.join("\n");
    expect(told).toContain(`${at("open")}:1 The front matter that begins here has no end`);
    expect(told).toContain(`${at("empty")}:1 There is nothing below the front matter.`);
    expect(told).toContain(`${at("odd")}:3 user-invocable must be true or false; it does not count.`);
    expect(told).toContain(`${at("odd")}:4 context must be fork, or absent; it does not count.`);
    expect(told).toContain(`${at("odd")}:5 allowed-tools must be names`);
    expect(told).toContain(`${at("bad name!")}:1 "bad name!" cannot be called`);
    expect(told).toContain(`${at("huge")} has 300000 bytes, more than 262144`);
    expect(told).toContain(`${at("dir")} is a directory, not a file`);
    const no = "is not a key of a skill, so it does not count; the nearest is";
    expect(told).toContain(`${at("typo")}:2 desciption ${no} description.`);
    expect(told).toContain(`${at("typo")}:4 tools ${no} allowed-tools.`);
    expect(all.find(({ name }) => name === "typo")).toMatchObject({ description: "B", model: "opus" });
    expect(notes).toHaveLength(10);
  });

  test("a repository brings in nothing from elsewhere, and no file that a rule denies", async () => {
    const { library, where, top } = world({
      "secret/SKILL.md": "The key is 42.",
      [`${P}/hidden/SKILL.md`]: skill("hidden"),
      "home/.claude/skills/linked/SKILL.md": skill("mine"),
    });
    symlinkSync(join(top, "secret"), join(where.cwd, ".claude/skills/leak"));
    symlinkSync(join(where.cwd, ".claude/skills"), join(where.cwd, ".claude/skills/loop"));
    const denied = (path: string) => path.includes("hidden");
    const untrusted = await skillLibrary({ ...where, denied }, diskFiles).look();
    expect(untrusted.all.map(({ name }) => name)).toEqual(["linked"]);
    expect(untrusted.notes.join()).toContain("it leads out of the project to");
    expect(untrusted.notes.join()).toContain("because a rule forbids reading it");
    const trusted = await skillLibrary({ ...where, trusted: () => true }, diskFiles).look();
    expect(trusted.all.map(({ name }) => name)).toContain("leak");
    void library;
  });
});

describe("a second look", () => {
  test("reads again only what has changed", async () => {
    const {
      library: open,
      reads,
      write,
      where,
    } = world({
      [`${P}/a/SKILL.md`]: skill("one"),
      [`${P}/b/SKILL.md`]: skill("two"),
    });
    const library = open();
    const before = await library.look();
    expect(await library.look()).toBe(before);
    expect(reads()).toBe(2);
    write(`${P}/a/SKILL.md`, skill("changed"));
    rmSync(join(where.cwd, ".claude/skills/b"), { recursive: true });
    const { all } = await library.look();
    expect(reads()).toBe(3);
    expect(all.map(({ description }) => description)).toEqual(["changed"]);
  });

  test("applies what is new, renamed, changed or trusted at the next check; otherwise returns the same object", async () => {
    let isTrusted = false;
    const { where, write, top } = world(
      { [`${P}/a/SKILL.md`]: skill("one"), "elsewhere/SKILL.md": skill("linked") },
      { trusted: () => isTrusted },
    );
    const library = skillLibrary(where, diskFiles);
    const names = async () => (await library.look()).all.map(({ name }) => name);
    const first = await library.look();
    write("project/beside.txt", "No skill.");
    expect(await library.look()).toBe(first);
    write(`${P}/a/SKILL.md`, skill("another"));
    expect((await library.look()).all[0]?.description).toBe("another");
    write(`${P}/b/skill.md`, skill("b"));
    write("home/.claude/commands/deep/c.md", "C.");
    expect(await names()).toEqual(["a", "b", "deep:c"]);
    renameSync(join(top, P, "b"), join(top, P, "z"));
    symlinkSync(join(top, "elsewhere"), join(top, P, "linked"));
    expect(await names()).toEqual(["a", "z", "deep:c"]);
    isTrusted = true;
    expect(await names()).toEqual(["a", "linked", "z", "deep:c"]);
    rmSync(join(top, P), { recursive: true });
    expect(await names()).toEqual(["deep:c"]);
  });

  test("what is moved together with the link to it is judged by where it is now", async () => {
    const { where, top } = world({ "open/SKILL.md": skill("linked"), [`${P}/a/SKILL.md`]: skill("one") });
    const search = { ...where, trusted: () => true, denied: (path: string) => path.includes("/secret/") };
    const library = skillLibrary(search, diskFiles);
    const names = async (of = library) => (await of.look()).all.map(({ name }) => name);
    const link = join(top, P, "linked");
    symlinkSync(join(top, "way"), link);
    symlinkSync(join(top, "open"), join(top, "way"));
    expect(await names()).toEqual(["a", "linked"]);
    // Not one stamp of the file or of the directory of skills is another.
    renameSync(join(top, "open"), join(top, "secret"));
    rmSync(join(top, "way"));
    symlinkSync(join(top, "secret"), join(top, "way"));
    expect(await names()).toEqual(["a"]);
  });
});
