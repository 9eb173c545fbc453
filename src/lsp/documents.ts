import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { CachedText, FileTexts } from "./files.ts";

/** Files that a server holds open; the least recently used one is closed. */
const MOST_OPEN = 100;

export interface Synced {
  readonly file: CachedText;
  readonly uri: string;
  readonly version: number;
}

interface Open {
  readonly uri: string;
  version: number;
  stamp: string;
  text: string;
}

/** The files whose text one server has received, which it then uses instead of the disk. */
export class Documents {
  readonly #open = new Map<string, Open>();
  readonly #texts: FileTexts;
  readonly #endings: Readonly<Record<string, string>>;
  readonly #notify: (method: string, params: unknown) => void;

  constructor(
    texts: FileTexts,
    endings: Readonly<Record<string, string>>,
    notify: (method: string, params: unknown) => void,
  ) {
    this.#texts = texts;
    this.#endings = endings;
    this.#notify = notify;
  }

  /** Sends the server the current text of a file. Returns null if the file does not exist or is too large. */
  async sync(path: string): Promise<Synced | null> {
    const file = await this.#texts.read(path);
    const open = this.#open.get(path);
    if (file === null) {
      this.close(path);
      return null;
    }
    if (open === undefined) return this.#openNow(path, file);
    const { uri } = open;
    this.#open.delete(path);
    this.#open.set(path, open);
    if (open.stamp !== file.stamp && open.text !== file.text) {
      open.version += 1;
      this.#notify("textDocument/didChange", {
        textDocument: { uri, version: open.version },
        contentChanges: [{ text: file.text }],
      });
      this.#notify("textDocument/didSave", { textDocument: { uri } });
    }
    open.stamp = file.stamp;
    open.text = file.text;
    return { file, uri, version: open.version };
  }

  /** Sends the other open files, because other programs may have written them. */
  async syncOthers(path: string): Promise<void> {
    await Promise.all([...this.#open.keys()].flatMap((one) => (one === path ? [] : this.sync(one))));
  }

  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  close(path: string): void {
    if (this.#open.delete(path))
      this.#notify("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
  }

  #openNow(path: string, file: CachedText): Synced {
    const uri = uriOf(path);
    const version = 1;
    const languageId = this.#endings[extname(path)] ?? "plaintext";
    this.#open.set(path, { uri, version, stamp: file.stamp, text: file.text });
    this.#notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text: file.text } });
    this.#closeOldest();
    return { file, uri, version };
  }

  #closeOldest(): void {
    for (const path of this.#open.keys()) {
      if (this.#open.size <= MOST_OPEN) return;
      this.close(path);
    }
  }
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}
