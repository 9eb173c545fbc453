import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findAgent } from "../../src/context/agents/definition.ts";
import { loaded, places } from "../context/agents/agent-files.ts";
import { writtenAgents } from "./agents.ts";

const SEED = 20_260_731;

test("hundreds of agent files load as they are meant or fail with file, line and a way out (A11.3, A18.1)", async () => {
  const here = places();
  const folder = join(here.project, ".claude", "agents");
  const files = writtenAgents(SEED);
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { agents, shadowed, problems } = await loaded(here);
  expect(shadowed).toEqual([]);
  const surprises: string[] = [];
  let usable = 0;
  for (const { path, outcome } of files) {
    const file = join(folder, path);
    const told = problems.filter((problem) => problem.file === file);
    const found = agents.find(({ source }) => source && "file" in source && source.file === file);
    const wanted = outcome.type === "loads" ? outcome.told : outcome.type === "fails" ? [outcome.told] : [];
    if (outcome.type === "loads") {
      usable += 1;
      try {
        expect(found).toMatchObject(withoutAbsent(outcome.as));
        for (const [key, value] of Object.entries(outcome.as))
          if (value === undefined) expect(found).not.toHaveProperty(key);
        // It is found by what a model calls it.
        expect(findAgent(agents, found?.name.toUpperCase() ?? "")).toBe(found);
      } catch (error) {
        surprises.push(`${path}: ${error instanceof Error ? error.message : error}`);
      }
    } else if (found !== undefined) surprises.push(`${path} became the agent ${found.name}`);
    const said = told.map(({ line, message }) => `${line ?? "-"}: ${message}`);
    const isAsWanted =
      said.length === wanted.length &&
      wanted.every(([line, says], at) => told[at]?.line === line && says.test(told[at]?.message ?? ""));
    if (!isAsWanted)
      surprises.push(`${path} was told as ${JSON.stringify(said)}, not ${wanted.join(" and ")}`);
  }
  expect(surprises).toEqual([]);
  expect(agents).toHaveLength(usable);
  expect(usable).toBeGreaterThan(300);
  // Each says it in a sentence, and nothing is told of a file that is none of them.
  for (const { file, message } of problems) {
    expect(message).toMatch(/^\S.*[.)]$/s);
    expect(files.some(({ path }) => file === join(folder, path))).toBe(true);
  }
});

function withoutAbsent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
