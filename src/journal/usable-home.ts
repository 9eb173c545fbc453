import { JournalError, writeSentence } from "./journal-error.ts";
import { projectsFolder } from "./paths.ts";
import { makePrivateFolders } from "./private-files.ts";

/** Why no session can be kept there, in a sentence; null where one can. Makes the folders that are missing. */
export function homeProblem(home: string): string | null {
  try {
    makePrivateFolders(home, projectsFolder(home));
    return null;
  } catch (error) {
    return error instanceof JournalError ? error.message : writeSentence(home, error);
  }
}
