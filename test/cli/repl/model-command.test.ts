import { expect, test } from "vitest";
import { runSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import { DEFAULT_ALIASES } from "../../../src/model/model-names.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { fakeModels } from "../fake-session.ts";
import { ownFiles, slashContext } from "./slash-ground.ts";

const list = (current: string) =>
  Object.entries(DEFAULT_ALIASES)
    .map(([name, id]) => {
      return `${name === current ? "*" : " "} ${name.padEnd(6)}  ${id.padEnd(17)}  window of 1.0M tokens`;
    })
    .join("\n");

test.each([
  ["lists the models and marks the present one", ["/model"], list("sonnet")],
  ["changes it", ["/model haiku"], "The model is claude-haiku-5-5 from the next request on."],
  ["marks the new one", ["/model haiku", "/model"], list("haiku")],
  ["says why not", ["/model no way"], '"no way" is not the name of a model; give an alias or an ID.'],
])("/model %s", async (_, lines, said) => {
  const dir = temporaryFolder();
  const context = slashContext(ownFiles({ cwd: dir, homedir: dir, managed: dir }), { models: fakeModels() });
  const all: (string | null)[] = [];
  for (const line of lines) all.push(await runSlashCommand(line, context));
  expect(all.at(-1)).toBe(said);
});
