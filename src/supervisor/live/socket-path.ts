import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { makePrivateFolders } from "../../journal/private-files.ts";
import { SessionId } from "../../mailbox/ids.ts";

/** Sockets of the sessions that run, by their ids; or, where a path would be too long, notes that say where else. */
export function runFolder(home: string): string {
  return join(home, "run");
}

/** Bytes of a socket's path that every system of its kind takes, without the ending zero. */
const MAX_PATH_BYTES = process.platform === "linux" ? 107 : 103;

const SOCKET = ".sock";
const NOTE = ".path";
/** A socket until it may be looked at, a note until it is whole. */
export const UNREADY = ".new";
/** A folder of our own making below the system's for temporary files, and the socket in it. */
const FAR_FOLDER = /^troupe-[A-Za-z0-9]{6}$/;
const FAR_NAME = "s";

/** Where a session's socket is, or was: its process may be gone. */
export interface SocketPlace {
  readonly session: SessionId;
  /** What is connected to. */
  readonly path: string;
  /** What stands for it in the folder of all. */
  readonly entry: string;
}

export function nearPlace(home: string, session: SessionId): SocketPlace {
  const path = join(runFolder(home), `${session}${SOCKET}`);
  return { session, path, entry: path };
}

/** In a new private folder of a short name, which nobody else can have made before us. Throws what the system says. */
export function farPlace(home: string, session: SessionId): SocketPlace {
  const roots = [tmpdir(), "/tmp"].filter((root) => fits(join(root, "troupe-000000", FAR_NAME)));
  const [root] = roots;
  if (root === undefined) throw new Error(`the path of ${tmpdir()} is too long for a socket`);
  const path = join(mkdtempSync(join(root, "troupe-")), FAR_NAME);
  return { session, path, entry: join(runFolder(home), `${session}${NOTE}`) };
}

export function isFar({ path, entry }: SocketPlace): boolean {
  return path !== entry;
}

export function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES;
}

/** The folder for all sockets, for this user only. None of it need outlive the machine. */
export function makeRunFolder(home: string): void {
  makePrivateFolders(home, runFolder(home), "none");
}

/** Every session that has, or had, a socket. Another user's, and what is no socket, is none. */
export function socketPlaces(home: string): SocketPlace[] {
  const folder = runFolder(home);
  return namesIn(folder).flatMap((name) => {
    const [, id = "", kind] = /^([A-Za-z0-9]+)(\.sock|\.path)$/.exec(name) ?? [];
    const session = SessionId.safeParse(id);
    if (!session.success) return [];
    const entry = join(folder, name);
    const path = kind === NOTE ? farPath(entry) : entry;
    return path !== null && isOurSocket(path) ? [{ session: session.data, path, entry }] : [];
  });
}

/** Paths of what a crash left half made: notes whose socket is gone, and what was never ready since `before` (wall time, ms). */
export function halfMade(home: string, before: number): string[] {
  const folder = runFolder(home);
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => {
      if (path.endsWith(UNREADY)) return (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < before;
      if (!path.endsWith(NOTE)) return false;
      const far = farPath(path);
      return far === null || !isOurSocket(far);
    });
}

/** Takes the socket away, and what stands for it. Nothing of it need be there. */
export function removePlace(place: SocketPlace): void {
  removeFile(place.path);
  if (!isFar(place)) return;
  removeFile(place.entry);
  removeFolder(dirname(place.path));
}

/** Tells one socket from the next one of the same name; null where there is none. */
export function identityOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSocket() ? `${stats.dev}.${stats.ino}.${stats.ctimeMs}` : null;
}

/** Null where the note is torn or names anything that we would not have made. */
function farPath(note: string): string | null {
  try {
    const path = readFileSync(note, "utf8").trim();
    return basename(path) === FAR_NAME && FAR_FOLDER.test(basename(dirname(path))) ? path : null;
  } catch {
    // Its session has ended since it was listed.
    return null;
  }
}

function isOurSocket(path: string): boolean {
  try {
    const { uid } = lstatSync(path);
    return identityOf(path) !== null && (process.getuid === undefined || uid === process.getuid());
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No session has run here yet, or none of ours may be seen.
    return [];
  }
}

export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody was faster, and it is gone.
  }
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Gone already; or something that is not ours is in it.
  }
}
