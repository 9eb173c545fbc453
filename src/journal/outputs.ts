import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "../lib/files.ts";
import type { Ids } from "../mailbox/ids.ts";
import { makePrivateFolders } from "./private-files.ts";

/** Where a session keeps what its commands write: a private directory, made when it is first needed. */
export interface Outputs {
  readonly folder: string;
  /** A new id and the file for it, which does not exist yet. Throws where the directory cannot be made. */
  next(): { readonly id: string; readonly path: string };
  /** Where the report of that name is once it is written. */
  pathOf(name: string): string;
  /** A report, whole, in a file of that name; the file does not exist before. Rejects with the reason. */
  write(name: string, text: string): Promise<string>;
  /** They are kept until the session ends (A19.6). */
  remove(): Promise<void>;
}

export function outputsIn(home: string, session: string, ids: Ids): Outputs {
  const folder = join(session, "outputs");
  let made = false;
  const ready = () => {
    // A command may have removed it: no later one should suffer from that.
    if (!made || !existsSync(folder)) makePrivateFolders(home, folder);
    made = true;
  };
  const pathOf = (name: string) => join(folder, `${name}.md`);
  return {
    folder,
    pathOf,
    async write(name, text) {
      ready();
      const path = pathOf(name);
      await writeWhole(path, text, 0o600, false);
      return path;
    },
    next() {
      ready();
      const id = ids.task();
      return { id, path: join(folder, `${id}.txt`) };
    },
    async remove() {
      if (made) await rm(folder, { recursive: true, force: true });
    },
  };
}
