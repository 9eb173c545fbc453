import { parentPort } from "node:worker_threads";
import { errorMessage } from "../../lib/errors.ts";
import type { PageText } from "./page-text.ts";
import { type RawPage, readPage } from "./read-page.ts";

export interface ToReader {
  readonly id: number;
  readonly page: RawPage;
}

export type FromReader =
  | { readonly id: number; readonly page: PageText }
  | { readonly id: number; readonly problem: string };

/** The entry of the thread that makes text of pages: what a page does to a parser, it does here. */
parentPort?.on("message", ({ id, page }: ToReader) => {
  readPage(page).then(
    (read) => parentPort?.postMessage({ id, page: read } satisfies FromReader),
    (error: unknown) => {
      const reason = errorMessage(error);
      parentPort?.postMessage({ id, problem: reason } satisfies FromReader);
    },
  );
});
