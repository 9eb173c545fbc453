import { stat } from "node:fs/promises";
import { extname } from "node:path";
import type { Clock } from "../mailbox/clock.ts";
import { Restarts } from "../mailbox/restarts.ts";
import type { Processes } from "../processes/processes.ts";
import { FileTexts } from "./file-texts.ts";
import type { FileChange } from "./files-of-root.ts";
import type { LanguageServer, UnservedLanguage } from "./find-servers.ts";
import { languages } from "./languages.ts";
import { ServerLife } from "./server-life.ts";

/** Servers at the same time: each can take a gigabyte. The one used least recently makes room. */
const MOST_RUNNING = 6;

export interface LanguageServersParts {
  /** Those that may be started. */
  readonly servers: readonly LanguageServer[];
  readonly unserved: readonly UnservedLanguage[];
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly pid: number;
  newId(): string;
}

interface Seat {
  life: ServerLife;
  readonly restarts: Restarts;
}

/** The language servers of a session: one for each root and language, started when it is first asked. */
export class LanguageServers {
  readonly texts = new FileTexts();
  readonly #parts: LanguageServersParts;
  readonly #seats = new Map<string, Seat>();
  #closing: Promise<void> | null = null;

  constructor(parts: LanguageServersParts) {
    this.#parts = parts;
  }

  /** The server for a file, started if need be; else why there is none, for the model. */
  for(file: string, root: string): ServerLife | string {
    const server = this.#parts.servers.find(({ endings }) => Object.hasOwn(endings, extname(file)));
    if (server === undefined) return this.#whyNone(file);
    if (this.#closing !== null) return "The session is closing.";
    const key = `${server.language}\0${root}`;
    const seat = this.#seats.get(key);
    if (seat === undefined) {
      this.#makeRoom();
      const life = this.#begin(server, root);
      this.#seats.set(key, { life, restarts: new Restarts(this.#parts.clock) });
      return life;
    }
    if (!seat.life.isAlive) {
      if (!seat.restarts.again())
        return `The language server ${server.name} ended again and again (${seat.life.why}), so it is left alone for a minute. Work without it.`;
      seat.life = this.#begin(server, root);
    }
    seat.life.lastUsed = this.#parts.clock.now();
    return seat.life;
  }

  /** Those that run for a root and know of this file's language. */
  running(file: string, root: string): ServerLife | null {
    const server = this.#parts.servers.find(({ endings }) => Object.hasOwn(endings, extname(file)));
    const life = server && this.#seats.get(`${server.language}\0${root}`)?.life;
    return life?.isAlive ? life : null;
  }

  /** These files were written, or removed, by a call: every server of that root hears of it. Starts none. */
  async wrote(files: readonly string[], root: string): Promise<void> {
    const lives = [...this.#seats.values()].flatMap(({ life }) =>
      life.isAlive && life.root === root ? [life] : [],
    );
    if (lives.length === 0) return;
    const changes = await Promise.all(
      files.map(async (path): Promise<FileChange> => {
        const isThere = await stat(path).then(
          () => true,
          () => false,
        );
        return { path, type: isThere ? 2 : 3 };
      }),
    );
    for (const life of lives) {
      await Promise.all(
        files.filter((path) => life.documents.isOpen(path)).map((path) => life.documents.sync(path)),
      );
      life.tellChanges(changes);
    }
  }

  /** Ends every server; resolves when their processes are gone. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#seats.values()].map(({ life }) => life.close())).then(() => {});
    return this.#closing;
  }

  #begin(server: LanguageServer, root: string): ServerLife {
    const { processes, clock, pid, newId } = this.#parts;
    return new ServerLife(server, root, { processes, clock, pid, newId, texts: this.texts });
  }

  #makeRoom(): void {
    const running = [...this.#seats].filter(([, { life }]) => life.isAlive);
    if (running.length < MOST_RUNNING) return;
    const [oldest] = running.sort(([, a], [, b]) => a.life.lastUsed - b.life.lastUsed);
    if (oldest === undefined) return;
    this.#seats.delete(oldest[0]);
    void oldest[1].life.close();
  }

  #whyNone(file: string): string {
    const ending = extname(file);
    const { servers, unserved } = this.#parts;
    const wanting = unserved.find(({ endings }) => endings.includes(ending));
    const known = languages.find(({ endings }) => Object.hasOwn(endings, ending));
    const install = wanting ?? known;
    const here = servers.map(({ language }) => language).join(", ") || "none";
    const why =
      install === undefined
        ? `No language server is known for ${ending === "" ? "such files" : `${ending} files`}; the user can name one in the setting troupe.languageServers.`
        : `There is no language server for ${install.name} here. The user can install one (${install.install}) and start a new session.`;
    return `${why} Languages that are served here: ${here}. Search with Grep instead.`;
  }
}
