import { JournalError, writeSentence } from "./journal-error.ts";
import { projectsFolder } from "./paths.ts";
import { makePrivateFolders } from "./private-files.ts";

/** Returns why no session can be kept there, in a sentence, or null. Makes missing directories. */
export function homeProblem(home: string): string | null {
  try {
    makePrivateFolders(home, projectsFolder(home));
    return null;
  } catch (error) {
    return error instanceof JournalError ? error.message : writeSentence(home, error);
  }
}
