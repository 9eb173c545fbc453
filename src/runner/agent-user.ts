import { chownSync, readFileSync } from "node:fs";
import type { SystemUser } from "../processes/helper-process.ts";

/** The user as whom agents and their commands run. */
export interface AgentUser extends SystemUser {
  readonly name: string;
  readonly home: string;
}

/** Returns a user of this machine; null if there is no such user in its list. */
export function findAgentUser(
  name: string,
  list: string = readFileSync("/etc/passwd", "utf8"),
): AgentUser | null {
  for (const line of list.split("\n")) {
    const [known, , uid = "", gid = "", , home = ""] = line.split(":");
    if (known === name && /^\d+$/.test(uid) && /^\d+$/.test(gid) && home.startsWith("/"))
      return { name, uid: Number(uid), gid: Number(gid), home };
  }
  return null;
}

/** Makes a file or a directory that user's own. */
export function giveTo(user: SystemUser | undefined, path: string): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}
