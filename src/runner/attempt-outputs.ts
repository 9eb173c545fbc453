import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Outputs } from "../journal/outputs.ts";
import { randomIds } from "../mailbox/ids.ts";
import { type AgentUser, giveTo } from "./agent-user.ts";

export type AttemptOutputs = Pick<Outputs, "folder" | "next" | "remove">;

/** Makes a private directory for what the commands of one attempt write, which its agent can read. */
export function makeOutputs(user: AgentUser | undefined): AttemptOutputs {
  const folder = mkdtempSync(join(tmpdir(), "troupe-agent-"));
  giveTo(user, folder);
  const ids = randomIds();
  return {
    folder,
    next() {
      const id = ids.task();
      return { id, path: join(folder, `${id}.txt`) };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
