import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { JournalError, readSentence } from "./journal-error.ts";

/**
 * Opens a journal for reading, never through a link, and never waiting for the writer of a planted named pipe. Rejects
 * with a `JournalError` (its cause is the system's error); the caller closes the handle.
 */
export async function openJournal(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw new JournalError(readSentence(path, error), path, "file", error);
  });
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw new JournalError(
    `${path} is not a file, so there is no journal in it; see \`troupe sessions list\`.`,
    path,
  );
}
