import { isBuiltin } from "node:module";
import { cycles } from "./cycles.ts";
import type { Place, Rules } from "./rules.ts";
import type { Import, SourceFile, Violation } from "./source-file.ts";

/** Everything that breaks a rule. Pure: the same files and rules give the same list. */
export function violations(files: readonly SourceFile[], rules: Rules): Violation[] {
  return [
    ...files.flatMap((file) => [
      ...file.imports.flatMap((one) => layerBroken(file, one, rules)),
      ...file.imports.flatMap((one) => packageTaken(file, one, rules)),
      ...unreplayable(file, rules),
      ...style(file, rules),
    ]),
    ...cycles(files).map((path) => ({
      path: path[0] ?? "",
      line: 1,
      message: `imports itself in a circle: ${path.join(" → ")}; move what both need to a file of its own`,
    })),
  ];
}

/** What is wrong with the files that tests share; one that no file imports is a program, and may do as it likes. */
export function sharedByTests(files: readonly SourceFile[], { notAtLoad }: Rules): Violation[] {
  const imported = new Set(
    files.flatMap(({ imports }) => imports.flatMap(({ to, typeOnly }) => (typeOnly ? [] : [to]))),
  );
  return files
    .filter(({ path }) => imported.has(path) && !/\.(test|long)\.ts$/.test(path))
    .flatMap(({ path, atLoad }) =>
      atLoad
        .filter(({ what }) => notAtLoad.test(what))
        .map(({ what, line }) => ({
          ...{ path, line },
          message: `calls ${what} when it is loaded, so only the first test file of a process has it; export a function that calls it`,
        })),
    );
}

const folderOf = (path: string) => path.split("/")[1] ?? path;

const featureOf = (path: string) => /^src\/features\/([^/]+)\//.exec(path)?.[1];

function layerBroken(
  file: SourceFile,
  { to, typeOnly, line }: Import,
  { folders, features }: Rules,
): Violation[] {
  if (!to.startsWith("src/")) return [];
  const [own, other] = [featureOf(file.path), featureOf(to)];
  if (own !== undefined && other !== undefined && own !== other && !features.get(own)?.includes(other)) {
    const message = `the feature ${own} must not import the feature ${other}; give it what it needs when it is opened, or name it in scripts/layers/rules.ts`;
    return [{ path: file.path, line, message }];
  }
  const folder = folderOf(file.path);
  const reach = folders.get(folder);
  if (reach === undefined) {
    const message = `src/${folder} is in no layer; give it one in scripts/layers/rules.ts`;
    return [{ path: file.path, line, message }];
  }
  if (folderOf(to) === folder || reach.some((place) => covers(place, to, typeOnly))) return [];
  const asTypes = reach.some((place) => covers(place, to, true));
  const message = asTypes
    ? `src/${folder} may import only types from ${to}`
    : `src/${folder} must not import ${to}; it may import ${listed(reach)}`;
  return [{ path: file.path, line, message }];
}

function packageTaken(file: SourceFile, { to, typeOnly, line }: Import, { owners }: Rules): Violation[] {
  if (to.startsWith("src/")) return [];
  const owned = [...owners].find(([name]) => to === name || to.startsWith(`${name}/`));
  if (owned === undefined) {
    const message = `nobody owns the package ${to}; name its owner in scripts/layers/rules.ts`;
    return isBuiltin(to) ? [] : [{ path: file.path, line, message }];
  }
  const [name, places] = owned;
  if (places.some((place) => covers(place, file.path, typeOnly))) return [];
  return [{ path: file.path, line, message: `${name} belongs to ${listed(places)}; ask that instead` }];
}

function unreplayable(file: SourceFile, { replayable }: Rules): Violation[] {
  if (!replayable.paths.some((path) => covers({ path }, file.path, false))) return [];
  return file.uses
    .filter(({ what }) => replayable.forbidden.includes(what))
    .map(({ what, line }) => ({
      path: file.path,
      line,
      message: `${what} cannot be replayed; take a Clock or Ids as an argument`,
    }));
}

function style(file: SourceFile, { maxLines, emptyNames }: Rules): Violation[] {
  const at = (line: number, message: string): Violation => ({ path: file.path, line, message });
  const names = file.path.replace(/\.ts$/, "").split("/");
  return [
    ...(file.lines > maxLines
      ? [at(maxLines, `has ${file.lines} lines, and ${maxLines} is the limit; split it by idea`)]
      : []),
    ...names
      .filter((name) => emptyNames.includes(name))
      .map((name) => at(1, `"${name}" does not say what is inside; name it for its idea`)),
    ...file.uses
      .filter(({ what }) => what === "any")
      .map(({ line }) => at(line, "`any` switches the compiler off; use unknown and narrow it")),
  ];
}

function covers({ path, typesOnly }: Place, target: string, typeOnly: boolean): boolean {
  if (typesOnly && !typeOnly) return false;
  return path.endsWith("/") ? target.startsWith(path) : target === path;
}

function listed(places: readonly Place[]): string {
  const names = places.map(({ path, typesOnly }) => (typesOnly ? `${path} (types)` : path));
  return names.length > 0 ? names.join(", ") : "nothing of src";
}
