import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";

const MOST_DIRS = 50;
const FOREIGN = new Set(["node_modules", "vendor", "dist", "build", "target", "venv", "__pycache__"]);

interface Signs {
  readonly name: string;
  readonly endings: readonly string[];
  readonly markers: readonly string[];
}

/** Returns the languages of a project, by the names of files in its directory and its subdirectories. */
export async function projectLanguages(root: string, signs: readonly Signs[]): Promise<ReadonlySet<string>> {
  const names: string[] = [];
  const dirs = await namesIn(root, names);
  const below = dirs.filter((name) => !name.startsWith(".") && !FOREIGN.has(name)).slice(0, MOST_DIRS);
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

/** Adds the names of files, and returns those of directories. */
async function namesIn(dir: string, files: string[]): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isFile()) files.push(entry.name);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
