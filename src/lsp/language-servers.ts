import { stat } from "node:fs/promises";
import { extname } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { Restarts } from "../lib/restarts.ts";
import type { Processes } from "../processes/processes.ts";
import { type FileChange, FileTexts } from "./files.ts";
import type { LanguageServer, UnservedLanguage } from "./find-servers.ts";
import { languages } from "./languages.ts";
import { ServerLife } from "./server-life.ts";

/** Servers that run at the same time: each can use a gigabyte. The least recently used one is ended for another. */
const MOST_RUNNING = 6;

export interface LanguageServersParts {
  readonly servers: readonly LanguageServer[];
  readonly unserved: readonly UnservedLanguage[];
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly pid: number;
  newId(): string;
}

interface Slot {
  life: ServerLife;
  readonly restarts: Restarts;
}

/** The language servers of a session: one for each root and language, started when it is first asked. */
export class LanguageServers {
  readonly texts = new FileTexts();
  readonly #parts: LanguageServersParts;
  readonly #slots = new Map<string, Slot>();
  #closing: Promise<void> | null = null;

  constructor(parts: LanguageServersParts) {
    this.#parts = parts;
  }

  /** Returns the server for a file, started if necessary, or a text for the model that explains its absence. */
  for(file: string, root: string): ServerLife | string {
    const server = this.#parts.servers.find(({ endings }) => Object.hasOwn(endings, extname(file)));
    if (server === undefined) return this.#noServerText(file);
    if (this.#closing !== null) return "The session is closing.";
    const key = `${server.language}\0${root}`;
    const slot = this.#slots.get(key);
    if (slot === undefined) {
      this.#makeRoom();
      const life = this.#start(server, root);
      this.#slots.set(key, { life, restarts: new Restarts(this.#parts.clock) });
      return life;
    }
    if (!slot.life.isAlive) {
      if (!slot.restarts.again())
        return `The language server ${server.name} ended several times (${slot.life.why}), so it is not started again for a minute. Continue without it.`;
      slot.life = this.#start(server, root);
    }
    slot.life.lastUsed = this.#parts.clock.now();
    return slot.life;
  }

  /** Returns the server that runs for a root and a file's language, or null. */
  running(file: string, root: string): ServerLife | null {
    const server = this.#parts.servers.find(({ endings }) => Object.hasOwn(endings, extname(file)));
    const life = server && this.#slots.get(`${server.language}\0${root}`)?.life;
    return life?.isAlive ? life : null;
  }

  /** Reports files that a call has written or removed to every server of that root. Starts none. */
  async wrote(files: readonly string[], root: string): Promise<void> {
    const running = [...this.#slots.values()].flatMap(({ life }) =>
      life.isAlive && life.root === root ? [life] : [],
    );
    if (running.length === 0) return;
    const changes = await Promise.all(
      files.map(async (path): Promise<FileChange> => {
        const isThere = await stat(path).then(
          () => true,
          () => false,
        );
        return { path, type: isThere ? 2 : 3 };
      }),
    );
    for (const life of running) {
      await Promise.all(
        files.filter((path) => life.documents.isOpen(path)).map((path) => life.documents.sync(path)),
      );
      life.notifyChanges(changes);
    }
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#slots.values()].map(({ life }) => life.close())).then(() => {});
    return this.#closing;
  }

  #start(server: LanguageServer, root: string): ServerLife {
    const { processes, clock, pid, newId } = this.#parts;
    return new ServerLife(server, root, { processes, clock, pid, newId, texts: this.texts });
  }

  #makeRoom(): void {
    const running = [...this.#slots].filter(([, { life }]) => life.isAlive);
    if (running.length < MOST_RUNNING) return;
    const [oldest] = running.sort(([, a], [, b]) => a.life.lastUsed - b.life.lastUsed);
    if (oldest === undefined) return;
    this.#slots.delete(oldest[0]);
    void oldest[1].life.close();
  }

  #noServerText(file: string): string {
    const ending = extname(file);
    const { servers, unserved } = this.#parts;
    const listed = unserved.find(({ endings }) => endings.includes(ending));
    const known = languages.find(({ endings }) => Object.hasOwn(endings, ending));
    const language = listed ?? known;
    const here = servers.map(({ language }) => language).join(", ") || "none";
    const why =
      language === undefined
        ? `No language server is known for ${ending === "" ? "such files" : `${ending} files`}; the user can name one in the setting troupe.languageServers.`
        : `There is no language server for ${language.name} here. The user can install one (${language.install}) and start a new session.`;
    return `${why} Languages with a server here: ${here}. Search with Grep instead.`;
  }
}
