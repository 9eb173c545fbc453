import { abortable } from "../tools/abortable.ts";
import type { LanguageAnswer, LanguageAsker, LanguageQuestion, LanguageService } from "../tools/lsp/desk.ts";
import { type EditWatch, editWatch } from "./edit-watch.ts";
import { LanguageServers, type LanguageServersParts } from "./language-servers.ts";
import { answerQuestion, UnansweredError } from "./operations.ts";
import type { Detail } from "./show.ts";

export interface LanguagesParts extends LanguageServersParts {
  /** Returns the directory that the asking agent works in: a worktree is a root of its own. */
  rootOf(asker: LanguageAsker): string;
  /** Returns what the agent may see of files, by the current rules for Read. */
  sightOf(asker: LanguageAsker): (path: string) => Detail;
}

/** Opens the language servers of a session. Starts no process. */
export function openLanguages({ rootOf, sightOf, ...parts }: LanguagesParts): {
  readonly servers: LanguageServers;
  readonly desk: LanguageService;
  readonly watch: Omit<EditWatch, "willWrite">;
} {
  const servers = new LanguageServers(parts);

  async function ask(question: LanguageQuestion, asker: LanguageAsker): Promise<string> {
    const { file: path, ...place } = question;
    const { signal, cwd } = asker;
    const life = servers.for(path, rootOf(asker));
    if (typeof life === "string") throw new UnansweredError(life);
    const ready = await abortable(life.ready, signal);
    if (typeof ready === "string")
      throw new UnansweredError(
        `The language server ${life.server.name} cannot be used: ${ready}. Search with Grep instead.`,
      );
    await abortable(life.refresh(path), signal);
    const synced = await life.documents.sync(path);
    if (synced === null)
      throw new UnansweredError(
        `${path} cannot be read: it does not exist, is not a regular file, or is larger than 4 MB.`,
      );
    await life.firstLook(signal);
    const show = { texts: servers.texts, cwd, sightOf: sightOf(asker) };
    return answerQuestion({ ...{ life, capabilities: ready, path }, ...synced, ...place, signal, show });
  }

  return {
    servers,
    desk: {
      async ask(question, asker): Promise<LanguageAnswer> {
        try {
          return { type: "found", text: await ask(question, asker) };
        } catch (error) {
          if (error instanceof UnansweredError) return { type: "failed", message: error.message };
          throw error;
        }
      },
    },
    watch: editWatch(servers, parts.clock),
  };
}
