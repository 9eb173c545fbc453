import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../../lib/json.ts";
import {
  type ProjectCommands,
  type ProjectTool,
  type ScriptRunner,
  scriptRunners,
} from "./allowed-prompts.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * Finds the commands of a project from its package.json, lock files, Makefile and so on. The files are read as data;
 * missing, unreadable and invalid ones are ignored.
 */
export async function projectCommands(dir: string): Promise<ProjectCommands> {
  const read = (name: string) => textOf(join(dir, name));
  const [manifest, makefiles, python, ini, requirements, cargo, go] = await Promise.all([
    read("package.json"),
    Promise.all(["GNUmakefile", "makefile", "Makefile"].map(read)),
    read("pyproject.toml"),
    read("pytest.ini"),
    read("requirements.txt"),
    read("Cargo.toml"),
    read("go.mod"),
  ]);
  const locked = await lockFilesIn(dir);
  const known = manifest === null ? null : manifestOf(manifest);
  const tools: readonly [ProjectTool, boolean][] = [
    ["cargo", cargo !== null],
    ["go", go !== null],
    ["pip", requirements !== null],
    ["uv", locked.has("uv")],
    ["poetry", locked.has("poetry")],
    ["pytest", ini !== null || hasSection(python, "tool.pytest")],
    ["ruff", hasSection(python, "tool.ruff")],
    ["mypy", hasSection(python, "tool.mypy")],
    ["black", hasSection(python, "tool.black")],
  ];
  return {
    runner: known && (known.runner ?? scriptRunners.find((runner) => locked.has(runner)) ?? "npm"),
    scripts: new Set(known?.scripts ?? []),
    // make uses the first one.
    targets: targetsOf(makefiles.find((text) => text !== null) ?? ""),
    tools: new Set(tools.flatMap(([tool, isThere]) => (isThere ? [tool] : []))),
  };
}

type Locker = ScriptRunner | "uv" | "poetry";

const LOCK_FILES: readonly (readonly [file: string, tool: Locker])[] = [
  ["package-lock.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
];

async function lockFilesIn(dir: string): Promise<ReadonlySet<Locker>> {
  const found = await Promise.all(
    LOCK_FILES.map(async ([file, tool]) => ((await sizeOf(join(dir, file))) === null ? [] : [tool])),
  );
  return new Set(found.flat());
}

const Manifest = z.object({
  packageManager: z.optional(z.unknown()),
  scripts: z.optional(z.record(z.string(), z.unknown())),
});

function manifestOf(
  text: string,
): { readonly runner: ScriptRunner | undefined; readonly scripts: string[] } | null {
  const manifest = z.safeParse(Manifest, parseJson(text.replace(/^\ufeff/, "")));
  if (!manifest.success) return null;
  const { packageManager, scripts = {} } = manifest.data;
  // Such as `pnpm@9.1.0`.
  const name = typeof packageManager === "string" ? packageManager.split("@")[0] : undefined;
  return {
    runner: scriptRunners.find((runner) => runner === name),
    scripts: Object.entries(scripts).flatMap(([script, line]) => (typeof line === "string" ? [script] : [])),
  };
}

/** `name: …` at the start of a line, but no `name := …`, which is a variable. */
function targetsOf(makefile: string): ReadonlySet<string> {
  const rules = makefile.matchAll(/^([A-Za-z0-9][\w.-]*(?:[ \t]+[A-Za-z0-9][\w.-]*)*)[ \t]*:(?![:=])/gm);
  return new Set([...rules].flatMap(([, names = ""]) => names.split(/[ \t]+/)));
}

function hasSection(toml: string | null, name: string): boolean {
  return (toml ?? "").split("\n").some((line) => {
    const section = line.trim();
    return section.startsWith(`[${name}]`) || section.startsWith(`[${name}.`);
  });
}

async function textOf(path: string): Promise<string | null> {
  const size = await sizeOf(path);
  if (size === null || size > MAX_BYTES) return null;
  return readFile(path, "utf8").catch(() => null);
}

/** Returns null if it is not a regular file: reading a pipe would never end. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}
