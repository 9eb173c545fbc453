import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledProgram } from "../../support/bundled-entries.ts";
import { apiError } from "../../support/messages-server.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { cases } from "./cases.ts";
import { answer, load, modelThat, read } from "./scripted-server.ts";

const SCRIPT = join(import.meta.dirname, "../../../scripts/eval-skills-first.ts");

/** `program`: the script, or a bundle of it where many sessions would each load the sources. */
function evalSkills(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const all = { PATH, NODE_COMPILE_CACHE, HOME: temporaryFolder(), ...env };
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { env: all }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });
}

test("eval:skills prints a line for each violation and their count, and exits with 1 (A12.8)", {
  tags: ["long"],
}, async () => {
  const { url } = await modelThat({
    "a letter": [read("letters/0117.txt"), answer],
    "a sum": [load("table-names"), answer],
  });
  const { code, out } = await evalSkills(await bundledProgram(SCRIPT), [], { ANTHROPIC_BASE_URL: url });
  expect(out.trim().split("\n")).toEqual([
    "violated: a letter: Read was called before the skill customer-reply",
    "violated: a sum: the skill table-names was called, and none matches",
    "2 violations in 12 of 12 cases",
  ]);
  expect(code).toBe(1);
});

test("with 0 where the model always keeps the rule", { tags: ["long"] }, async () => {
  const { url } = await modelThat({});
  const { code, out } = await evalSkills(await bundledProgram(SCRIPT), ["--json"], {
    ANTHROPIC_BASE_URL: url,
  });
  expect(JSON.parse(out)).toEqual({ cases: 12, count: 0, judged: 12, violations: [], open: [] });
  expect(code).toBe(0);
});

test("with 2 where no model can be reached, and says why; --json is the same as data", {
  tags: ["long"],
}, async () => {
  const none = await evalSkills(SCRIPT, [], {});
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("set ANTHROPIC_API_KEY");
  const refusal = apiError(401, "authentication_error", "no such key");
  const { url } = await modelThat(Object.fromEntries(cases.map(({ name }) => [name, [refusal]])));
  const refused = await evalSkills(SCRIPT, ["--json"], {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-wrong",
  });
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.out)).toMatchObject({ cases: 12, judged: 0, count: 0, violations: [] });
  expect(refused.err).toContain("not judged: notes of a version: ");
  expect(refused.err).not.toContain("sk-wrong");
  expect((await evalSkills(SCRIPT, ["--jsn"], {})).code).toBe(2);
});
