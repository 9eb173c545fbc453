import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Files that hooks read as their stdin. */
export interface EventFiles {
  /** A file with this text, for as long as it is used. Rejects with what the system says. */
  lend<T>(text: string, use: (path: string) => Promise<T>): Promise<T>;
}

/**
 * An event is a file and not a pipe: a hook that does not read it holds nobody up, and however large it is, it
 * passes through no process of ours. Only this user can read it, and it is gone when its hooks have ended. The
 * folder is made at the first event.
 */
export function eventFiles(folder: string): EventFiles {
  return {
    async lend(text, use) {
      // A session that was killed may have left some, and goes on in the same folder.
      const path = join(folder, `${randomUUID()}.json`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        await writeFile(path, text, { mode: 0o600, flag: "wx" });
        return await use(path);
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}
