import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { journalFile, sessionPaths } from "../../src/journal/paths.ts";
import { processIdentity } from "../../src/journal/process-identity.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { lockSession } from "../../src/journal/session-lock.ts";
import { SessionId } from "../../src/mailbox/ids.ts";
import { lineOf } from "../journal/samples.ts";
import { temporaryFolder } from "../support/temporary.ts";

export interface OpenSession {
  readonly id: SessionId;
  readonly home: string;
  readonly folder: string;
  /** Of its journal. */
  readonly path: string;
  /** Adds records to the journal, as the session's process would, each a second after the one before. */
  write(...events: readonly SessionEvent[]): void;
  /** This process holds the session open until the answer is called, or the test ends. */
  open(): () => void;
}

export function sessionOnDisk({
  id = "follow000001",
  cwd = "/w",
  home = temporaryFolder(),
  text = "",
} = {}): OpenSession {
  const session = SessionId.parse(id);
  const place = sessionPaths(home, cwd, session);
  mkdirSync(place.folder, { recursive: true });
  const path = journalFile(place.folder);
  writeFileSync(path, text);
  let seq = 0;
  return {
    ...{ id: session, home, folder: place.folder, path },
    write(...events) {
      for (const event of events) {
        const at = new Date(Date.UTC(2029, 11, 31, 23, 59, seq)).toISOString();
        seq += 1;
        appendFileSync(path, lineOf({ seq, at, event }));
      }
    },
    open() {
      const lock = lockSession(place, processIdentity(process.pid));
      if (lock.type !== "locked") throw new Error(lock.reason);
      onTestFinished(lock.release);
      return lock.release;
    },
  };
}
