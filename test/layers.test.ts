import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportedTwice } from "../scripts/layers/exported-names.ts";
import { overBudget } from "../scripts/layers/line-budget.ts";
import { readSources, sourceFile } from "../scripts/layers/read-source.ts";
import { type Place, type Rules, rules } from "../scripts/layers/rules.ts";
import { sharedByTests, violations } from "../scripts/layers/violations.ts";

const messages = (sources: Record<string, string>, by: Rules = rules) =>
  violations(
    Object.entries(sources).map(([path, text]) => sourceFile(path, text)),
    by,
  ).map(({ path, line, message }) => `${path}:${line} ${message}`);

describe("the source of this repository", () => {
  const files = readSources(join(import.meta.dirname, ".."), "src");

  test("breaks no rule", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(violations(files, rules)).toEqual([]);
    expect(exportedTwice(files)).toEqual([]);
  });

  test("has an index.ts in every feature, which says which joints it uses", () => {
    const features = new Set(files.flatMap(({ path }) => /^src\/features\/([^/]+)\//.exec(path)?.[1] ?? []));
    expect(features.size).toBeGreaterThan(15);
    for (const feature of features) {
      const index = join(import.meta.dirname, "../src/features", feature, "index.ts");
      expect(readFileSync(index, "utf8"), feature).toMatch(/\bjoints?\b/i);
    }
  });

  test("has every file in a directory that has a layer", () => {
    const folders = files.map(({ path }) => path.split("/")[1]);
    expect(folders.filter((folder) => folder === undefined || !rules.folders.has(folder))).toEqual([]);
  });
});

test("the table of layers reaches downwards only, but for types (A1.19)", () => {
  const below = new Set<string>();
  for (const [folder, reach] of rules.folders) {
    const values = reach.filter((place: Place) => !place.typesOnly).map(({ path }) => path.split("/")[1]);
    expect(values.filter((name) => name !== undefined && !below.has(name))).toEqual([]);
    below.add(folder);
  }
});

describe("a layer is broken", () => {
  test("by an import from above", () => {
    expect(messages({ "src/lib/a.ts": 'import { b } from "../tools/b.ts";' })).toEqual([
      "src/lib/a.ts:1 src/lib must not import src/tools/b.ts; it may import nothing of src",
    ]);
  });

  test("by an import from a neighbour on the same layer", () => {
    expect(messages({ "src/model/a.ts": '\nexport * from "../journal/b.ts";' })).toEqual([
      "src/model/a.ts:2 src/model must not import src/journal/b.ts; it may import src/lib/, src/mailbox/",
    ]);
  });

  test("by the value of what may be taken as types only", () => {
    expect(messages({ "src/tools/a.ts": 'import type { B } from "../policy/b.ts";' })).toEqual([]);
    expect(messages({ "src/tools/a.ts": 'import { type B } from "../policy/b.ts";' })).toEqual([
      "src/tools/a.ts:1 src/tools may import only types from src/policy/b.ts",
    ]);
  });

  test.each([
    'const b = await import("../cli/b.ts");',
    'type B = import("../cli/b.ts").B;',
    'import "../cli/b.ts";',
    'export { b } from "../cli/b.ts";',
    'export type { B } from "../cli/b.ts";',
  ])("by any kind of import: %s", (text) => {
    expect(messages({ "src/supervisor/a.ts": text })).toHaveLength(1);
  });

  test("by a directory that is in no layer", () => {
    expect(messages({ "src/extras/a.ts": 'import { b } from "../mailbox/b.ts";' })).toEqual([
      "src/extras/a.ts:1 src/extras is in no layer; give it one in scripts/layers/rules.ts",
    ]);
  });
});

describe("a package", () => {
  test("is imported by its owner only", () => {
    expect(messages({ "src/timers/cron.ts": 'import { Cron } from "croner";' })).toEqual([]);
    expect(messages({ "src/supervisor/a.ts": 'import { Cron } from "croner";' })).toEqual([
      "src/supervisor/a.ts:1 croner belongs to src/timers/cron.ts; ask that instead",
    ]);
  });

  test("may have an owner for its types and another for its value", () => {
    const path = "src/mailbox/conversation.ts";
    expect(messages({ [path]: 'import type Anthropic from "@anthropic-ai/sdk";' })).toEqual([]);
    expect(messages({ [path]: 'import Anthropic from "@anthropic-ai/sdk";' })).toHaveLength(1);
  });

  test("is zod/mini and never classic zod", () => {
    expect(messages({ "src/tools/a.ts": 'import * as z from "zod/mini";' })).toEqual([]);
    expect(messages({ "src/tools/a.ts": 'import * as z from "zod";' })).toHaveLength(1);
  });

  test("without an owner is refused; Node's own need no owner, but for child processes", () => {
    expect(messages({ "src/tools/a.ts": 'import left from "left-pad";' })).toHaveLength(1);
    expect(messages({ "src/tools/a.ts": 'import { join } from "node:path";' })).toEqual([]);
    expect(messages({ "src/tools/a.ts": 'import { spawn } from "node:child_process";' })).toHaveLength(1);
  });
});

describe("what must be replayable", () => {
  test.each([
    "Date.now();",
    "const now = globalThis.Date.now;",
    "new Date();",
    "Math.random();",
    "setTimeout(() => {}, 1);",
    'import { setTimeout as sleep } from "node:timers/promises";',
    'import { randomUUID } from "node:crypto";',
    "crypto.randomUUID();",
  ])("takes its clock and ids as arguments: %s", (text) => {
    expect(messages({ "src/actors/loop.ts": text }).length).toBeGreaterThan(0);
    expect(messages({ "src/context/deep/a.ts": text }).length).toBeGreaterThan(0);
    expect(messages({ "src/supervisor/a.ts": text })).toEqual([]);
  });

  test("may turn a given time into a date, and may say these words in a comment", () => {
    expect(messages({ "src/context/a.ts": "// Date.now()\nexport const d = new Date(0);" })).toEqual([]);
  });
});

describe("a circle of imports", () => {
  test("is found however long, and by type imports too", () => {
    const [only, ...more] = messages({
      "src/tools/a.ts": 'import { b } from "./b.ts";',
      "src/tools/b.ts": 'import type { C } from "./deep/c.ts";',
      "src/tools/deep/c.ts": 'export const a = () => import("../a.ts");',
    });
    expect(more).toEqual([]);
    expect(only).toContain("src/tools/a.ts → src/tools/b.ts → src/tools/deep/c.ts → src/tools/a.ts");
  });

  test("is not seen where two ways lead to the same file", () => {
    expect(
      messages({
        "src/tools/a.ts": 'import "./b.ts";\nimport "./c.ts";',
        "src/tools/b.ts": 'import "./d.ts";',
        "src/tools/c.ts": 'import "./d.ts";',
        "src/tools/d.ts": "",
      }),
    ).toEqual([]);
  });
});

describe("a file", () => {
  test("has at most 400 lines", () => {
    expect(messages({ "src/cli/a.ts": "\n".repeat(400) })).toEqual([]);
    expect(messages({ "src/cli/a.ts": "\n".repeat(401) })).toHaveLength(1);
  });

  test("is named for its idea, and so is its folder", () => {
    expect(messages({ "src/cli/utils.ts": "" })).toHaveLength(1);
    expect(messages({ "src/cli/helpers/a.ts": "" })).toHaveLength(1);
  });

  test("contains no `any`", () => {
    expect(messages({ "src/cli/a.ts": "export const many: Array<any> = [];" })).toHaveLength(1);
    expect(messages({ "src/cli/a.ts": 'export const any = "any"; // any' })).toEqual([]);
  });

  test("that cannot be parsed is named", () => {
    expect(() => sourceFile("src/cli/a.ts", "const = 1;")).toThrow("src/cli/a.ts cannot be parsed");
  });
});

test("every file and directory that the rules name exists", () => {
  const { folders, owners, replayable } = rules;
  const places = [...folders.values(), ...owners.values()].flat().map(({ path }) => path);
  const missing = [...places, ...replayable.paths].filter(
    (path) => !existsSync(join(import.meta.dirname, "..", path)),
  );
  expect([...new Set(missing)]).toEqual([]);
});

describe("a file that tests share", () => {
  const shared = (text: string, path = "test/a.ts") =>
    sharedByTests(
      [sourceFile(path, text), sourceFile("test/b.test.ts", 'import { a } from "./a.ts";')],
      rules,
    ).map(({ line }) => line);

  test("sets no hook and starts nothing when it is loaded, here", { tags: ["long"] }, () => {
    expect(sharedByTests(readSources(join(import.meta.dirname, ".."), "test"), rules)).toEqual([]);
  });

  test.each(["afterAll(stop);", "const host = startProcesses({});", "export const s = new Supervisor({});"])(
    "is named for %s",
    (text) => {
      expect(shared(`\n${text}`)).toEqual([2]);
      expect(shared(`if (true) {\n${text.replace("export ", "")}\n}`)).toEqual([2]);
    },
  );

  test("may do so in a function, and a program or a file of tests where it likes", () => {
    expect(
      shared("export function a() { afterAll(stop); }\nexport const b = () => startProcesses({});"),
    ).toEqual([]);
    expect(shared("startProcesses({});", "test/program.ts")).toEqual([]);
    expect(shared("afterAll(stop);", "test/b.test.ts")).toEqual([]);
  });
});

test("names a directory that has more lines than its budget", () => {
  const files = [sourceFile("src/lib/a.ts", "1;\n2;\n"), sourceFile("src/cli/b.ts", "1;\n")];
  expect(overBudget(files, { "src/lib": 1, "src/cli": 1 }).map(({ path }) => path)).toEqual(["src/lib"]);
  expect(overBudget(files, { "src/cli": 1 }).map(({ message }) => message)).toEqual([
    "has 2 lines, and its budget is 0; make something shorter first",
  ]);
});

test("a name that two files export is reported; a re-export is not", () => {
  const files = [
    sourceFile("src/lib/a.ts", "export const one = 1;\nexport interface Two {}"),
    sourceFile(
      "src/lib/b.ts",
      'export { one } from "./a.ts";\nexport function two() {}\nexport class Two {}',
    ),
  ];
  expect(exportedTwice(files)).toEqual([
    {
      path: "src/lib/b.ts",
      line: 3,
      message: "exports Two, and so does src/lib/a.ts; rename one, or keep one",
    },
  ]);
});
