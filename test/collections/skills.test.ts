import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { diskFiles } from "../../src/context/files.ts";
import { skillLibrary } from "../../src/context/skills/library.ts";
import { skillNamed } from "../../src/context/skills/skill.ts";
import { userPlaces } from "../../src/settings/paths.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { writtenCommands, writtenSkills } from "./skills.ts";

const SEED = 20_260_731;

test("hundreds of skills and commands load as they are meant or fail with file, line and a way out (A12.1)", async () => {
  const top = temporaryFolder();
  mkdirSync(join(top, "project/.git"), { recursive: true });
  const files = [
    ...writtenSkills(SEED).map((one) => ({ ...one, path: join(top, "project/.claude/skills", one.path) })),
    // Of the person's own, since those of one place share their names.
    ...writtenCommands(SEED + 1).map((one) => ({
      ...one,
      path: join(top, "home/.claude/commands", one.path),
    })),
  ];
  for (const { path, content } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const search = {
    ...{
      cwd: join(top, "project"),
      ...userPlaces({}, join(top, "home")),
      home: join(top, "own"),
      managed: join(top, "m"),
    },
    ...{ shipped: false, trusted: () => true, agreed: () => true, denied: () => false },
  };
  const { all, notes } = await skillLibrary(search, diskFiles).look();
  const surprises: string[] = [];
  let usable = 0;
  for (const { path, outcome } of files) {
    const said = notes.flatMap((note) => (note.startsWith(path) ? [note.slice(path.length)] : []));
    const found = all.find((skill) => skill.path === path);
    const wanted = outcome.type === "loads" ? outcome.told : outcome.type === "fails" ? [outcome.told] : [];
    if (outcome.type === "loads") {
      usable += 1;
      try {
        expect(found).toMatchObject(outcome.as);
        expect(skillNamed(`/${found?.name}`, all, () => true)).toEqual({ type: "skill", skill: found });
      } catch (error) {
        surprises.push(`${path}: ${error instanceof Error ? error.message : error}`);
      }
    } else if (found !== undefined) surprises.push(`${path} became the skill ${found.name}`);
    const isAsWanted =
      said.length === wanted.length &&
      wanted.every(([line, says], at) => {
        const [, told = null, message = ""] = /^(?::(\d+))? (.*)$/s.exec(said[at] ?? "") ?? [];
        return (told === null ? null : Number(told)) === line && says.test(message);
      });
    if (!isAsWanted)
      surprises.push(`${path} was told as ${JSON.stringify(said)}, not ${wanted.join(" and ")}`);
  }
  expect(surprises).toEqual([]);
  expect(all).toHaveLength(usable);
  expect(usable).toBeGreaterThan(200);
  // Once more, from the index that the first look has written.
  expect(await skillLibrary(search, diskFiles).look()).toEqual({ all, notes });
});
