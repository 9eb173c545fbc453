import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";

/** Folders of a project that are looked into, besides itself. */
const MOST_FOLDERS = 50;
/** Not the project's own code. */
const STRANGE = new Set(["node_modules", "vendor", "dist", "build", "target", "venv", "__pycache__"]);

interface Signs {
  readonly name: string;
  readonly endings: readonly string[];
  readonly markers: readonly string[];
}

/** The languages that a project is written in, by the names in its folder and in those right below. */
export async function projectLanguages(root: string, signs: readonly Signs[]): Promise<ReadonlySet<string>> {
  const names: string[] = [];
  const folders = await namesIn(root, names);
  const below = folders.filter((name) => !name.startsWith(".") && !STRANGE.has(name)).slice(0, MOST_FOLDERS);
  await Promise.all(below.map((name) => namesIn(join(root, name), names)));
  const there = new Set(names);
  const endings = new Set(names.map((name) => extname(name)));
  return new Set(
    signs
      .filter(
        (one) =>
          one.markers.some((name) => there.has(name)) || one.endings.some((ending) => endings.has(ending)),
      )
      .map(({ name }) => name),
  );
}

/** Adds the names of files, and answers those of folders. */
async function namesIn(folder: string, files: string[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isFile()) files.push(entry.name);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
