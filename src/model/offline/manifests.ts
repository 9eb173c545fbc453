import type { OfflinePlan } from "./plan.ts";
import { type FoundLine, findPaths, type OfflineTools, readSome } from "./tools.ts";

/** The files at the top of a project that say what it is, by their names in lower case. */
export type Manifests = ReadonlyMap<string, readonly FoundLine[]>;

const NAMES =
  "README*,readme*,CONTRIBUTING*,contributing*,package.json,pyproject.toml,setup.py,tox.ini,requirements*.txt,go.mod,Cargo.toml,Gemfile,composer.json,pom.xml,build.gradle*,Makefile,makefile,[jJ]ustfile,pnpm-lock.yaml,yarn.lock,bun.lock*";

export function* readManifests(tools: OfflineTools): OfflinePlan<Manifests> {
  const [found = []] = yield* findPaths(tools, `{${NAMES}}`);
  const files = found.filter((path) => !path.includes("/")).map((path) => ({ path, limit: 600 }));
  const read = yield* readSome(tools, files);
  return new Map(files.map(({ path }, at) => [path.toLowerCase(), read[at] ?? []]));
}

/** The lines of all manifests whose name fits. */
export function manifest(manifests: Manifests, name: RegExp): readonly FoundLine[] {
  return [...manifests].flatMap(([path, lines]) => (name.test(path) ? lines : []));
}

/** The lines of the sections that begin so: in brackets, or below a header of TOML. All lines if it is null. */
export function section(lines: readonly FoundLine[], begins: RegExp | null): readonly FoundLine[] {
  if (begins === null) return lines;
  return lines.flatMap((line, at) => {
    if (!begins.test(line.text)) return [];
    const ends = /[{[(]\s*$/.test(line.text) ? /^\s*[}\])]/ : /^\[/.test(line.text) ? /^\[|^\s*$/ : /^/;
    const size = lines.slice(at + 1).findIndex(({ text }) => ends.test(text));
    return lines.slice(at, size < 0 ? undefined : at + 1 + size);
  });
}
