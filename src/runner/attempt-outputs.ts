import { chmodSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Outputs } from "../journal/outputs.ts";
import { makeTemporaryFolder } from "../journal/temporary-folder.ts";
import { randomIds } from "../mailbox/ids.ts";
import { type AgentUser, giveTo } from "./agent-user.ts";

export interface AttemptOutputs extends Pick<Outputs, "folder" | "next" | "remove"> {
  /** A directory for what hooks read, in which the agent's user can make nothing. */
  readonly events: string;
  /** Lets the agent's user read a file in it. */
  lend(path: string): void;
}

/** Makes a private directory for what the commands of one attempt write, which its agent can read. */
export function makeOutputs(user: AgentUser | undefined): AttemptOutputs {
  const folder = makeTemporaryFolder("agent");
  giveTo(user, folder);
  const events = makeTemporaryFolder("events");
  // Not listed, and its names are random.
  if (user !== undefined) chmodSync(events, 0o711);
  const ids = randomIds();
  return {
    ...{ folder, events },
    lend: (path) => giveTo(user, path),
    next() {
      const id = ids.task();
      return { id, path: join(folder, `${id}.txt`) };
    },
    async remove() {
      for (const one of [folder, events]) await rm(one, { recursive: true, force: true });
    },
  };
}
