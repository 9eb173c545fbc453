import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { renderApiDoc } from "../scripts/api-doc/render.ts";
import { renderEventsDoc } from "../scripts/events-doc/render.ts";
import { renderToolsDoc } from "../scripts/tools-doc/render.ts";

test("docs/tools.md says what the definitions say; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/tools.md"), "utf8");
  expect(written).toBe(renderToolsDoc());
});

test("docs/events.md has every event with its fields; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/events.md"), "utf8");
  expect(written).toBe(renderEventsDoc());
});

test("docs/reference.md has every export of the library with its docstring; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/reference.md"), "utf8");
  expect(written).toBe(renderApiDoc());
  // A heading is followed by words, not by code.
  expect([...written.matchAll(/^### (\S+)\n\n```/gm)].map(([, name]) => name)).toEqual([]);
});

test("the path of a prompt has at most 25 files, and every source that the architecture names exists", () => {
  const root = join(import.meta.dirname, "..");
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const section = text.slice(
    text.indexOf("## The path of a prompt"),
    text.indexOf("## Whether a call may run"),
  );
  const steps = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => path);
  expect(steps.length).toBeGreaterThan(10);
  expect(steps.length).toBeLessThanOrEqual(25);
  expect(new Set(steps).size).toBe(steps.length);
  const named = [...text.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g)].map(([, path = ""]) => path);
  const isThere = (path: string) =>
    ["src", "", "src/policy"].some((from) => existsSync(join(root, from, path)));
  expect(named.filter((path) => !isThere(path))).toEqual([]);
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const bare = new Set(sources.map((path) => basename(path)));
  const unknown = [...text.matchAll(/`([a-z-]+\.ts)`/g)].map(([, name = ""]) => name);
  expect(unknown.filter((name) => !bare.has(name))).toEqual([]);
});

test("the architecture has every directory of the sources, and every feature", () => {
  const root = join(import.meta.dirname, "..");
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const table = text.slice(text.indexOf("## Where things are"), text.indexOf("## Threads, processes"));
  const directories = (path: string) =>
    readdirSync(join(root, path), { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? [one.name] : [],
    );
  // What a row names without a directory is in the directory of the row.
  const rows = [...table.matchAll(/^\| `([a-z]+)` \| \d+ \| (.*) \|$/gm)];
  const misplaced = rows.flatMap(([, directory = "", contents = ""]) => {
    const names = [...contents.matchAll(/`([a-z-]+(?:\.ts|\/))`/g)].map(([, name = ""]) => name);
    const twice = names.filter((name, at) => names.indexOf(name) !== at);
    const below = directories(`src/${directory}`);
    const isThere = (name: string) =>
      ["", ...below].some((folder) => existsSync(join(root, "src", directory, folder, name)));
    return [...twice, ...names.filter((name) => !isThere(name))].map((name) => `${directory}: ${name}`);
  });
  expect(misplaced).toEqual([]);
  expect(directories("src").filter((name) => !table.includes(`| \`${name}\` |`))).toEqual([]);
  expect(directories("src/features").filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});
