import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileScope, type SettingsRoots, settingsPaths, userPlaces } from "../../src/settings/paths.ts";
import { combine, type ReadSettings } from "../../src/settings/read-settings.ts";
import { readSettingsFiles } from "../../src/settings/settings-file.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** By scope: a file's text, or a value that is written as JSON. */
export type Files = Readonly<Partial<Record<FileScope, unknown>>>;

export interface Folders extends Required<SettingsRoots> {
  /** Absolute. */
  fileOf(scope: FileScope): string;
}

/** Creates a home, a project and an organisation's file with these settings. */
export function foldersWith(files: Files): Folders {
  const base = temporaryFolder();
  const where = {
    ...userPlaces({}, join(base, "home")),
    root: join(base, "project"),
    managed: join(base, "etc/managed-settings.json"),
  };
  for (const folder of [where.homedir, where.root]) mkdirSync(folder);
  const folders: Folders = {
    ...where,
    fileOf: (scope) => settingsPaths(where).find((place) => place.scope === scope)?.file ?? "",
  };
  for (const scope of ["enterprise", "user", "project", "local"] as const) {
    if (files[scope] !== undefined) put(folders.fileOf(scope), files[scope]);
  }
  return folders;
}

export function put(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
}

export async function readAll(folders: SettingsRoots, trusted: boolean): Promise<ReadSettings> {
  return combine(await readSettingsFiles(settingsPaths(folders)), trusted);
}

export function readIn(files: Files, trusted = true): Promise<ReadSettings> {
  return readAll(foldersWith(files), trusted);
}

/** `scope behaviour rule`, in order. */
export function ruleLines({ rules }: ReadSettings): string[] {
  return rules.map(({ scope, behaviour, text }) => `${scope} ${behaviour} ${text}`);
}
