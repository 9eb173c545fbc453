import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { printable } from "../lib/printable.ts";
import type { SourcedText } from "../settings/read-settings.ts";

export interface ExtraFolders {
  readonly folders: readonly string[];
  /** Sentences about those that are not there. */
  readonly notes: readonly string[];
}

/** Folders that settings add to the workspace, as absolute paths; a missing one is named and left out. */
export async function extraFolders(
  said: readonly Pick<SourcedText, "text" | "file">[],
  { cwd, homedir }: { readonly cwd: string; readonly homedir: string },
): Promise<ExtraFolders> {
  const checked = await Promise.all(
    said.map(async ({ text, file }) => {
      const fromHome = text === "~" || text.startsWith("~/");
      const path = fromHome ? resolve(homedir, `.${text.slice(1)}`) : resolve(cwd, text);
      const found = await stat(path).catch(() => null);
      return found?.isDirectory()
        ? { path }
        : { note: `${file}: there is no folder ${printable(text)}; it is left out.` };
    }),
  );
  return {
    folders: checked.flatMap(({ path }) => path ?? []),
    notes: checked.flatMap(({ note }) => note ?? []),
  };
}
