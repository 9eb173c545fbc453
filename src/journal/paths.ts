import { hash } from "node:crypto";
import { join, resolve } from "node:path";
import { expandHome } from "../lib/paths.ts";
import type { SessionId } from "../mailbox/ids.ts";

/**
 * The location of one session. Everything below `home` is Troupe's: private directories, never reached through a link.
 */
export interface SessionPlace {
  readonly home: string;
  readonly folder: string;
}

/** A file name may have 255 bytes on every supported system; this leaves room for suffixes. */
const MAX_SLUG = 200;

/**
 * Returns Troupe's directory: `TROUPE_HOME` if it is set and not empty, else `~/.troupe`. Expands a leading `~/` (no
 * shell does that in a settings file); a relative path is relative to the process's directory.
 */
export function troupeHome(env: Readonly<Record<string, string | undefined>>, homedir: string): string {
  const wanted = env["TROUPE_HOME"]?.trim();
  if (!wanted) return join(homedir, ".troupe");
  return resolve(expandHome(wanted, homedir));
}

export function projectsFolder(home: string): string {
  return join(home, "projects");
}

/**
 * Returns a path as one file name: every character but letters and digits becomes `-`; a long one is cut and gets a
 * hash. `/a/b-c` and `/a/b/c` share a slug: sessions do not collide (their IDs are random), and a listing compares the
 * `cwd` in the journal, never the slug.
 */
export function slugOf(cwd: string): string {
  const slug = cwd.replace(/[^A-Za-z0-9]/g, "-");
  if (slug.length <= MAX_SLUG) return slug;
  const digest = hash("sha256", cwd).slice(0, 12);
  return `${slug.slice(0, MAX_SLUG - digest.length - 1)}-${digest}`;
}

export function sessionPaths(home: string, cwd: string, id: SessionId): SessionPlace {
  return { home, folder: join(projectsFolder(home), slugOf(cwd), id) };
}

export function journalFile(folder: string): string {
  return join(folder, "journal.jsonl");
}

/** Returns the file of the fleet's key, below Troupe's directory. */
export function fleetKeyFile(home: string): string {
  return join(home, "fleet-key");
}
