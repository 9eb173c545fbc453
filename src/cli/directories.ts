import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { troupeHome } from "../journal/paths.ts";
import { errorCode, isMissing } from "../lib/errors.ts";
import { expandHome } from "../lib/paths.ts";
import { printable } from "../lib/text.ts";
import { type SettingsSource, settingsReader } from "../policy/trust/trust.ts";
import { managedSettingsFile, type SettingsRoots, userPlaces } from "../settings/paths.ts";
import type { SourcedText } from "../settings/read-settings.ts";
import type { Arguments } from "./arguments.ts";
import { UsageError } from "./exit-codes.ts";
import type { CliIO } from "./process-io.ts";
import { sessionFlags } from "./session-flags.ts";

/** Returns the absolute path of the directory to work in. */
export function workingDir(args: Arguments, io: CliIO): Promise<string> {
  return existingDir("--cwd", args.value(sessionFlags.cwd) ?? ".", io.cwd);
}

/** Returns the directories of --add-dir. */
export function addedDirs(args: Arguments, io: CliIO): Promise<string[]> {
  return Promise.all(args.value(sessionFlags.addDir).map((dir) => existingDir("--add-dir", dir, io.cwd)));
}

/** Returns the absolute path of a directory. Throws a `UsageError` that names the flag if it cannot be used. */
async function existingDir(flag: string, given: string, cwd: string): Promise<string> {
  const path = resolve(cwd, given);
  try {
    if ((await stat(path)).isDirectory()) {
      await access(path, constants.R_OK | constants.X_OK);
      return path;
    }
  } catch (error) {
    throw new UsageError(`${flag} ${given}: ${problemOf(error)}.`);
  }
  throw new UsageError(`${flag} ${given}: this is a file; give the directory it is in.`);
}

function problemOf(error: unknown): string {
  const code = errorCode(error);
  if (isMissing(error)) return "there is no such directory; check the path";
  if (code === "EACCES" || code === "EPERM") return "it may not be read; check its permissions";
  return `it cannot be used (${code ?? String(error)})`;
}

/** Returns where the settings files about a directory are. */
export function whereOf({ env, homedir, managedSettings }: CliIO, root: string): SettingsRoots {
  return {
    ...userPlaces(env, homedir),
    root,
    ...(managedSettings === undefined ? {} : { managed: managedSettings }),
  };
}

export function settingsSource(io: CliIO, root: string): SettingsSource {
  return { ...whereOf(io, root), home: troupeHome(io.env, io.homedir) };
}

/** True if settings of this directory grant what the user has not agreed to. */
export async function isUntrusted(io: CliIO, root: string): Promise<boolean> {
  const { trust } = await settingsReader(settingsSource(io, root), false).read();
  return trust.type === "untrusted";
}

/** Returns the directory of the organisation's own files. */
export function managedDir({ managedSettings }: Pick<CliIO, "managedSettings">): string {
  return dirname(managedSettings ?? managedSettingsFile(process.platform));
}

/** Resolves directories that settings name; for one that does not exist there is a note instead. */
export async function settingsDirs(
  said: readonly Pick<SourcedText, "text" | "file">[],
  { cwd, homedir }: { readonly cwd: string; readonly homedir: string },
): Promise<{ readonly dirs: readonly string[]; readonly notes: readonly string[] }> {
  const checked = await Promise.all(
    said.map(async ({ text, file }) => {
      const path = resolve(cwd, expandHome(text, homedir));
      const found = await stat(path).catch(() => null);
      return found?.isDirectory()
        ? { path }
        : { note: `${file}: there is no directory ${printable(text)}; it is left out.` };
    }),
  );
  return {
    dirs: checked.flatMap(({ path }) => path ?? []),
    notes: checked.flatMap(({ note }) => note ?? []),
  };
}
