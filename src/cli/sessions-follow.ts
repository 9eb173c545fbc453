import { JournalError } from "../journal/journal-error.ts";
import { journalFile } from "../journal/paths.ts";
import { lockHolder } from "../journal/session-lock.ts";
import type { FoundSession } from "../journal/sessions.ts";
import { paintFor } from "./colour.ts";
import { exitCodes } from "./exit-codes.ts";
import type { CliIO } from "./io.ts";
import { safeLine } from "./safe-text.ts";
import { EventFormatter } from "./top/event-formatter.ts";
import { tailJournal } from "./top/journal-tail.ts";

/**
 * `troupe sessions show ID --follow`: a session's story from its beginning, then as it grows, also where another
 * process writes it. Ends when no process has the session open any more, or with a signal's exit code.
 */
export async function followSession(session: FoundSession, json: boolean, io: CliIO): Promise<number> {
  const { stdout, stderr } = io;
  const { callTitle } = await import("./top/call-title.ts");
  const story = new EventFormatter(paintFor(stdout, io.env), callTitle);
  const over = new AbortController();
  let code: number | null = null;
  const leave = (by: number) => () => {
    code = by;
    over.abort();
  };
  const forget = [
    io.onSignal("SIGINT", leave(exitCodes.interrupted)),
    io.onSignal("SIGTERM", leave(exitCodes.terminated)),
  ];
  let hasEnded = false;
  try {
    const tail = tailJournal(journalFile(session.folder), {
      ...{ clock: io.clock, signal: over.signal, isOpen: () => lockHolder(session.folder) !== null },
    });
    for await (const item of tail) {
      if (item.type === "note") {
        await stderr.write(`${safeLine(item.text)}\n`);
        continue;
      }
      const { record } = item;
      hasEnded = record.event.type === "end";
      const lines = json ? [JSON.stringify(record)] : story.tell(record);
      await stdout.write(lines.map((line) => `${line}\n`).join(""));
    }
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    await stderr.write(`${safeLine(error.message)}\n`);
    return exitCodes.notDone;
  } finally {
    for (const withdraw of forget) withdraw();
  }
  if (code !== null) return code;
  if (hasEnded) return exitCodes.done;
  await stderr.write(
    `Session ${session.id} does not run any more and was not ended: its process was killed; troupe --resume ${session.id} resumes it.\n`,
  );
  return exitCodes.notDone;
}
