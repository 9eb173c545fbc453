import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import type { SealedTool } from "../../src/tools/bind-tool.ts";
import { builtInSkills } from "../support/built-in-skills.ts";
import { definitionOf } from "../support/definition-of.ts";
import { constants, hookEvents, said, skills, slashCommands, tools } from "./seed-names.ts";

const root = join(import.meta.dirname, "../..");

type Named = SealedTool<never>;

/** What an exported name stands for; undefined where nothing exports it. */
export type Value = (path: string) => Promise<unknown>;

/** The exports of this repository. */
export function ownValues(): Value {
  const exports = exportedNames();
  return (path) => (path === "builtInSkills" ? Promise.resolve(builtInSkills) : exportedValue(exports, path));
}

/** The ids of everything of A21 that the product has, found in the registries it runs on. */
export async function whatIsThere(value: Value): Promise<string[]> {
  const known = await everyTool(value);
  const names = new Set(known.flatMap(({ name, aliases }) => [name, ...aliases]));
  if ((await value("mcpToolName")) !== undefined) names.add("mcp__*");
  const [events, skillNames, commands] = await Promise.all([
    registered(value("hookEvents")),
    registered(value("builtInSkills")),
    registered(value("commandSummaries").then((all) => Object.keys(Object(all)))),
  ]);
  const told = (name: string) => {
    const tool = known.find((one) => one.name === name);
    return tool ? JSON.stringify(definitionOf(tool)) : "";
  };
  const numbers = await Promise.all(
    constants.map(async ([what, constant, number]) => ({ what, is: (await value(constant)) === number })),
  );
  return [
    ...tools.filter((name) => names.has(name)).map((name) => `tool ${name}`),
    ...hookEvents.filter((name) => events.has(name)).map((name) => `hook ${name}`),
    ...skills.filter((name) => skillNames.has(name)).map((name) => `skill ${name}`),
    ...slashCommands
      .filter((name) => commands.has(name.slice(1)) || skillNames.has(name.slice(1)))
      .map((name) => `command ${name}`),
    ...numbers.filter(({ is }) => is).map(({ what }) => `number ${what}`),
    ...said.filter(([, tool, words]) => words.test(told(tool))).map(([what]) => `number ${what}`),
  ].sort();
}

/** The same list, as if all of it were there. */
export function everything(): string[] {
  return [
    ...tools.map((name) => `tool ${name}`),
    ...hookEvents.map((name) => `hook ${name}`),
    ...skills.map((name) => `skill ${name}`),
    ...slashCommands.map((name) => `command ${name}`),
    ...[...constants, ...said].map(([what]) => `number ${what}`),
  ].sort();
}

/** Tools of the agent's own thread, and those on the supervisor's side, made with nothing behind them. */
async function everyTool(value: Value): Promise<Named[]> {
  const own = await value("agentTools");
  const sessionTools = await value("sessionTools");
  const agentTool = await value("agentTool");
  const bindTool = await value("bindTool");
  const agent =
    typeof agentTool === "function" && typeof bindTool === "function"
      ? [bindTool(agentTool({ agents: [], resolve: () => null, spawn: () => Promise.reject() }))]
      : [];
  const resourceTools = await value("resourceTools");
  const resources = typeof resourceTools === "function" ? resourceTools({}) : [];
  const shared = typeof sessionTools === "function" ? sessionTools(await value("noSession")) : [];
  return [...(Array.isArray(own) ? own : []), ...agent, ...shared, ...resources];
}

/** A registry is a list of names, or of things that have one. */
async function registered(registry: Promise<unknown>): Promise<Set<string>> {
  const list = await registry;
  if (!Array.isArray(list)) return new Set();
  return new Set(list.map((one: string | { name: string }) => (typeof one === "string" ? one : one.name)));
}

async function exportedValue(
  exports: ReadonlyMap<string, readonly string[]>,
  path: string,
): Promise<unknown> {
  const [name = "", ...members] = path.split(".");
  const [file, ...more] = exports.get(name) ?? [];
  if (file === undefined) return undefined;
  if (more.length > 0) throw new Error(`${name} is exported twice, by ${file} and by ${more.join(", ")}`);
  const module: Record<string, unknown> = await import(join(root, file));
  return members.reduce<unknown>((value, member) => Object(value)[member], module[name]);
}

/** Exported value → who declares it: the product's own files, and the tests' minimal loop, but never this list. */
function exportedNames(): Map<string, string[]> {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => join(folder, name))
      .filter((file) => !file.startsWith(join("test", "everything"))),
  );
  const declarers = new Map<string, string[]>();
  for (const file of files) {
    const { staticExports } = parseSync(file, readFileSync(join(root, file), "utf8")).module;
    for (const { isType, moduleRequest, exportName } of staticExports.flatMap(({ entries }) => entries)) {
      if (isType || moduleRequest || exportName.name === null) continue;
      declarers.set(exportName.name, [...(declarers.get(exportName.name) ?? []), file]);
    }
  }
  return declarers;
}
