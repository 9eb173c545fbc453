import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { FileText, FileTexts } from "./file-texts.ts";

/** Files that a server holds open; the one that was asked about least recently is closed. */
const MOST_OPEN = 100;

interface Open {
  version: number;
  stamp: string;
  text: string;
}

/** The files that one server was told the text of, which it then believes instead of the disk. */
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

  /**
   * Tells the server what this file says now. `version`: of the text it knows then; `isNew`: it did not know it before.
   * Null: there is no such file, or it is too large.
   */
  async sync(
    path: string,
  ): Promise<{ readonly file: FileText; readonly version: number; readonly isNew: boolean } | null> {
    const file = await this.#texts.read(path);
    const open = this.#open.get(path);
    if (file === null) {
      this.close(path);
      return null;
    }
    const uri = uriOf(path);
    if (open === undefined) {
      const version = 1;
      const languageId = this.#endings[extname(path)] ?? "plaintext";
      this.#open.set(path, { version, stamp: file.stamp, text: file.text });
      this.#notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text: file.text } });
      this.#closeOldest();
      return { file, version, isNew: true };
    }
    // The newest last, so that the first is the oldest.
    this.#open.delete(path);
    this.#open.set(path, open);
    if (open.stamp === file.stamp) return { file, version: open.version, isNew: false };
    open.stamp = file.stamp;
    if (open.text === file.text) return { file, version: open.version, isNew: false };
    open.text = file.text;
    open.version += 1;
    this.#notify("textDocument/didChange", {
      textDocument: { uri, version: open.version },
      contentChanges: [{ text: file.text }],
    });
    this.#notify("textDocument/didSave", { textDocument: { uri } });
    return { file, version: open.version, isNew: true };
  }

  /** The same for every file that is open, because others may have written them. */
  async syncAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((path) => this.sync(path)));
  }

  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  close(path: string): void {
    if (this.#open.delete(path))
      this.#notify("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
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
