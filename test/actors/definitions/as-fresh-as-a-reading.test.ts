import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { agentLibrary } from "../../../src/actors/definitions/load.ts";
import { diskFiles } from "../../../src/context/disk-files.ts";
import { skillLibrary } from "../../../src/context/skills/library.ts";
import { type Seeded, seededBy } from "../../faults/seeded.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const SKILLS = "project/.claude/skills";
const AGENTS = "project/.claude/agents";
/** All that may be changed, wherever it is looked for. */
const FILES = [
  ...[`${SKILLS}/a/SKILL.md`, `${SKILLS}/b/SKILL.md`, `${SKILLS}/group/deep/SKILL.md`, `${SKILLS}/flat.md`],
  ...["project/.claude/commands/c.md", "project/.claude/commands/in/d.md", "home/.claude/skills/e/SKILL.md"],
  ...["project/inner/.claude/skills/a/SKILL.md", "one/f/SKILL.md", "two/f/SKILL.md"],
  ...[`${AGENTS}/g.md`, `${AGENTS}/in/h.md`, "home/.claude/agents/i.md", "one/j.md", "two/j.md"],
];
const LINKS = [`${SKILLS}/f`, "home/.claude/skills/linked", `${AGENTS}/f`, "home/.claude/commands"];
const FOLDERS = [
  ...new Set(FILES.map((path) => dirname(path))),
  "project/.claude",
  "home/.claude",
  "project",
];

/** In seconds, as all that is made first has it. */
const LONG_AGO = 1_000;

type Change = readonly [name: string, (world: World) => void];

const CHANGES: readonly Change[] = [
  ["a file is made, or written over", ({ write, file }) => write(file())],
  [
    "other words of the same length, and the time that it had",
    ({ at, file, words }) => {
      const path = at(file());
      if (!isFile(path)) return;
      const { size } = statSync(path);
      writeFileSync(path, words().padEnd(size, "x").slice(0, size));
      utimesSync(path, LONG_AGO, LONG_AGO);
    },
  ],
  [
    "a file comes or goes, and its folder has the time that it had",
    ({ at, write, file }) => {
      const path = file();
      if (existsSync(at(path))) rmSync(at(path), { recursive: true });
      else write(path);
      if (existsSync(dirname(at(path)))) utimesSync(dirname(at(path)), LONG_AGO, LONG_AGO);
    },
  ],
  [
    "a file in the place of another",
    ({ at, write, file }) => {
      write("beside.md");
      make(dirname(at(file())));
      const path = file();
      if (isFile(at(path))) renameSync(at("beside.md"), at(path));
    },
  ],
  [
    "two that change their places",
    ({ at, file }) => {
      const [one, other] = [at(file()), at(file())];
      if (one === other || !isFile(one) || !isFile(other)) return;
      renameSync(one, `${one}.away`);
      renameSync(other, one);
      renameSync(`${one}.away`, other);
    },
  ],
  ["a file goes", ({ at, file }) => rmSync(at(file()), { recursive: true, force: true })],
  [
    "a folder in the place of a file",
    ({ at, file }) => {
      const path = at(file());
      rmSync(path, { recursive: true, force: true });
      make(path);
    },
  ],
  ["a folder goes", ({ at, folder }) => rmSync(at(folder()), { recursive: true, force: true })],
  [
    "a folder is moved away, or back",
    ({ at, folder }) => {
      const path = at(folder());
      const away = `${path}.away`;
      if (existsSync(path) && !existsSync(away)) renameSync(path, away);
      else if (existsSync(away) && !existsSync(path)) renameSync(away, path);
    },
  ],
  [
    "a folder is moved, and a link stands in its place",
    ({ at, folder, random }) => {
      const path = at(folder());
      const elsewhere = at(`moved-${random.between(0, 1e9)}`);
      if (!existsSync(path) || lstatSync(path).isSymbolicLink()) return;
      renameSync(path, elsewhere);
      symlinkSync(elsewhere, path);
    },
  ],
  [
    "a link leads elsewhere",
    ({ at, random }) => {
      const path = at(random.pick(LINKS));
      if (!existsSync(dirname(path))) return;
      rmSync(path, { recursive: true, force: true });
      symlinkSync(at(random.pick(["one", "two", "one/f", "two/f", "nowhere", "project"])), path);
    },
  ],
  [
    "what a link leads to is moved, and the link with it",
    ({ at }) => {
      const path = at(LINKS[0] ?? "");
      if (!existsSync(at("one")) || existsSync(at("denied")) || !existsSync(dirname(path))) return;
      renameSync(at("one"), at("denied"));
      rmSync(path, { recursive: true, force: true });
      symlinkSync(at("denied/f"), path);
    },
  ],
  [
    "written by another name",
    ({ at, file, words }) => {
      const path = at(file());
      if (!isFile(path)) return;
      linkSync(path, at("name"));
      writeFileSync(at("name"), words());
      unlinkSync(at("name"));
    },
  ],
  [
    "a repository begins further in, or does not any more",
    ({ at }) => {
      make(at("project/inner"));
      if (existsSync(at("project/inner/.git"))) rmSync(at("project/inner/.git"), { recursive: true });
      else mkdirSync(at("project/inner/.git"));
    },
  ],
];

interface World {
  readonly random: Seeded;
  at(path: string): string;
  write(path: string): void;
  words(): string;
  file(): string;
  folder(): string;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function make(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
}

/** A place with sessions that have looked, and what another would see that reads everything. */
async function world(seed: number) {
  const random = seededBy(seed);
  const top = temporaryFolder();
  const at = (path: string) => join(top, path);
  const words = () => {
    const name = random.pick(["a", "b", "c", "d"]);
    const said = `---\nname: ${name}\ndescription: ${random.between(100, 999)} things.\n---\nDo it.\n`;
    return random.next() < 0.2 ? said.slice(5) : said;
  };
  const write = (path: string) => {
    if (statSync(at(path), { throwIfNoEntry: false })?.isDirectory()) return;
    // Where a link leads nowhere there is no folder to make.
    if (lstatSync(at(dirname(path)), { throwIfNoEntry: false }) === undefined) make(at(dirname(path)));
    if (existsSync(at(dirname(path)))) writeFileSync(at(path), words());
  };
  for (const path of FILES) write(path);
  symlinkSync(at("one/f"), at(`${SKILLS}/f`));
  symlinkSync(at("two"), at(`${AGENTS}/f`));
  for (const path of [...FILES, ...FOLDERS]) utimesSync(at(path), LONG_AGO, LONG_AGO);
  make(at("project/.git"));
  let trusted = random.next() < 0.5;
  const trust = {
    trusted: () => trusted,
    agreed: () => false,
    denied: (path: string) => path.includes("/denied/"),
  };
  const where = (home: string) => ({
    ...{ cwd: at("project/inner"), homedir: at("home"), home, managed: at("managed"), shipped: false },
    ...trust,
  });
  const home = temporaryFolder();
  const libraries = (of = home) => ({
    skills: skillLibrary(where(of), diskFiles),
    agents: agentLibrary(where(of), diskFiles),
  });
  const seen = async ({ skills, agents }: ReturnType<typeof libraries>) => [
    await skills.look(),
    await agents.look(),
  ];
  const session = libraries();
  await seen(session);
  return {
    ...{ random, at, write, words },
    file: () => random.pick(FILES),
    folder: () => random.pick(FOLDERS),
    session: () => seen(session),
    next: () => seen(libraries()),
    reading: () => seen(libraries(temporaryFolder())),
    trust(is: boolean) {
      trusted = is;
    },
  };
}

const SEED = 90_001;
const WORLDS = 24;
const PROMPTS = 10;

test("whatever is changed just before a prompt, it is seen as by one who reads everything", {
  tags: ["long"],
}, async () => {
  const worlds = await Promise.all(Array.from({ length: WORLDS }, (_, at) => world(SEED + at)));
  // Until folders are known by their stamps alone, where the disk is one that tells.
  const last = worlds.at(-1)?.at(SKILLS) ?? "";
  await vi.waitFor(() => expect(diskFiles.listed(last)).not.toBeNull(), 4_000).catch(() => {});
  for (const [at, one] of worlds.entries()) {
    await one.session();
    const done: string[] = [];
    for (let prompt = 0; prompt < PROMPTS; prompt++) {
      for (let changes = one.random.between(0, 2); changes > 0; changes--) {
        const [name, change] = one.random.pick(CHANGES);
        done.push(name);
        change(one);
      }
      if (one.random.next() < 0.1) one.trust(one.random.next() < 0.5);
      const what = `seed ${SEED + at}, after ${done.join("; ")}`;
      const reading = await one.reading();
      expect(await one.session(), what).toEqual(reading);
      if (one.random.next() < 0.4) expect(await one.next(), `next session, ${what}`).toEqual(reading);
    }
  }
});
