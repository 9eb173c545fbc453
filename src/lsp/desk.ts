import { abortable } from "../tools/abortable.ts";
import type { LanguageAnswer, LanguageAsker, LanguageQuestion, LanguageService } from "../tools/lsp/desk.ts";
import type { LanguageServers } from "./language-servers.ts";
import { answer, Unanswered } from "./operations.ts";
import type { ServerLife } from "./server-life.ts";
import type { Sight } from "./show.ts";

export interface DeskPorts {
  readonly servers: LanguageServers;
  /** Returns the directory that the asking agent works in: a worktree is a root of its own. */
  rootOf(asker: LanguageAsker): string;
  /** Returns what the agent may see of files, by the current rules for Read. */
  sightOf(asker: LanguageAsker): (path: string) => Sight;
}

/** Questions of agents to the session's language servers. */
export function languageDesk({ servers, rootOf, sightOf }: DeskPorts): LanguageService {
  async function answered(question: LanguageQuestion, asker: LanguageAsker): Promise<LanguageAnswer> {
    const { file: path, line, character, query, operation } = question;
    const { signal, cwd } = asker;
    const life = servers.for(path, rootOf(asker));
    if (typeof life === "string") return failed(life);
    const ready = await abortable(life.ready, signal);
    if (ready.type === "not-ready") return failed(notStarted(life, ready.reason));
    await abortable(life.refresh(path), signal);
    const known = await life.documents.sync(path);
    if (known === null)
      return failed(
        `${path} cannot be read: it does not exist, is not an ordinary file, or is larger than 4 MB.`,
      );
    await life.firstLook(signal);
    const show = {
      ...{ texts: servers.texts, encoding: ready.encoding, cwd },
      sightOf: sightOf(asker),
    };
    const open = { life, ready, path, ...known, line, character, query, signal, show };
    return { type: "found", text: await answer(operation, open) };
  }

  return {
    async ask(question, asker) {
      try {
        return await answered(question, asker);
      } catch (error) {
        if (error instanceof Unanswered) return failed(error.message);
        throw error;
      }
    },
  };
}

function failed(message: string): LanguageAnswer {
  return { type: "failed", message };
}

function notStarted({ server }: ServerLife, reason: string): string {
  return `The language server ${server.name} cannot be used: ${reason}. Search with Grep instead.`;
}
