import type { Writable } from "node:stream";

/** Standard output or standard error, with what a terminal knows about itself. */
export interface Outlet {
  readonly isTTY: boolean;
  /** Of the terminal as it is now; 80 by 24 if unknown. */
  size(): { readonly columns: number; readonly rows: number };
  /**
   * Resolves when the text is handed over. If the reader has gone (`troupe … | head`) the text is dropped. Rejects on
   * any other failure, such as a full disk.
   */
  write(text: string): Promise<void>;
  onResize(listener: () => void): () => void;
}

/** Wraps a stream of node's, and takes over its errors. */
export function outputStream(
  stream: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number },
): Outlet {
  let hasNoReader = false;
  // Without a listener an EPIPE would end the process with a stack trace; each write reports its own.
  stream.on("error", (error) => {
    hasNoReader ||= readerIsGone(error);
  });
  return {
    isTTY: stream.isTTY === true,
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    write: (text) =>
      new Promise((resolve, reject) => {
        if (hasNoReader || text === "") return resolve();
        stream.write(text, (error) => {
          if (!error) return resolve();
          hasNoReader ||= readerIsGone(error);
          if (hasNoReader) resolve();
          else reject(error);
        });
      }),
    onResize(listener) {
      stream.on("resize", listener);
      return () => stream.off("resize", listener);
    },
  };
}

const GONE = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);

function readerIsGone(error: Error & { code?: string }): boolean {
  return error.code !== undefined && GONE.has(error.code);
}
