import type { OfflinePlan } from "./plan.ts";
import { type FoundLine, glob, globPaths, look, type OfflineTools, readSome } from "./tools.ts";

/** The files at the top of a project that say what it is, by their names in lower case. */
export type Manifests = ReadonlyMap<string, readonly FoundLine[]>;

/** A command that the project offers, and the line that says so. */
export interface ProjectCommand {
  readonly command: string;
  /** A script's text, or empty. */
  readonly body: string;
  readonly line: FoundLine;
  readonly isProgram: boolean;
}

const NAMES =
  "README*,readme*,CONTRIBUTING*,LICEN?E*,package.json,pyproject.toml,setup.py,requirements*.txt,go.mod,Cargo.toml,Gemfile,composer.json,pom.xml,build.gradle*,Makefile,makefile,[jJ]ustfile,pnpm-lock.yaml,yarn.lock,bun.lock*";

export function* readManifests(tools: OfflineTools): OfflinePlan<Manifests> {
  const [found = ""] = yield* look(tools, [glob(`{${NAMES}}`)]);
  const paths = globPaths(found, tools).filter((path) => !path.includes("/"));
  const read = yield* readSome(
    tools,
    paths.map((path) => ({ path, limit: 600 })),
  );
  return new Map(paths.map((path, at) => [path.toLowerCase(), read[at] ?? []]));
}

export function manifest(manifests: Manifests, name: RegExp): readonly FoundLine[] {
  for (const [path, lines] of manifests) if (name.test(path) && lines.length > 0) return lines;
  return [];
}

/** The object in a JSON file; empty if it cannot be read. */
export function jsonOf(lines: readonly FoundLine[]): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(lines.map(({ text }) => text).join("\n")));
  } catch {
    return {};
  }
}

/** What a toolchain takes in every project of its kind. */
const USUAL: readonly (readonly [file: RegExp, commands: readonly string[]])[] = [
  [/^go\.mod$/, ["go build ./...", "go test ./...", "go run ."]],
  [/^cargo\.toml$/, ["cargo build", "cargo test", "cargo run"]],
  [/^pom\.xml$/, ["mvn package", "mvn test"]],
  [/^build\.gradle/, ["gradle build", "gradle test"]],
];

export function listProjectCommands(manifests: Manifests): ProjectCommand[] {
  const commands: ProjectCommand[] = [];
  const add = (command: string, line: FoundLine | undefined, { body = "", isProgram = false } = {}) => {
    if (line) commands.push({ command, body, line, isProgram });
  };
  const json = manifest(manifests, /^package\.json$/);
  const { scripts, bin, name } = jsonOf(json);
  const lineOf = (key: string) => json.find(({ text }) => text.trim().startsWith(`"${key}":`));
  const runner = ["yarn", "pnpm", "bun"].find((one) =>
    [...manifests.keys()].some((path) => path.startsWith(one)),
  );
  for (const [script, body] of Object.entries(Object(scripts))) {
    const isShort = runner === undefined && /^(?:test|start)$/.test(script);
    add(`${runner ?? "npm"} ${isShort ? "" : "run "}${script}`, lineOf(script), { body: String(body) });
  }
  const programs = typeof bin === "string" ? [String(name)] : Object.keys(Object(bin));
  for (const program of programs) add(`npx ${program}`, lineOf("bin"), { isProgram: true });
  for (const [file, tool] of [
    [/^makefile$/, "make"],
    [/^justfile$/, "just"],
  ] as const)
    for (const line of manifest(manifests, file)) {
      const target = /^@?([a-zA-Z][\w-]*)(?:\s[^:=]*)?:(?!=)/.exec(line.text)?.[1];
      if (target !== undefined) add(`${tool} ${target}`, line);
    }
  const python = manifest(manifests, /^(?:pyproject\.toml|setup\.py)$/);
  for (const line of python) {
    const program = /^\s*["']?([\w-]+)\s*=\s*["']?[\w.]+:\w+["']/.exec(line.text)?.[1];
    if (program !== undefined) add(program, line, { isProgram: true });
  }
  add(
    "pytest",
    python.find(({ text }) => /\bpytest\b/.test(text)),
  );
  for (const [file, usual] of USUAL) for (const command of usual) add(command, manifest(manifests, file)[0]);
  return commands;
}
