import { PassThrough, Readable, Writable } from "node:stream";
import type { CliIO } from "../../src/cli/process-io.ts";
import { outputStream } from "../../src/terminal/output-stream.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";

export interface FakeIOOptions {
  readonly stdin?: string | Readable;
  readonly stdinIsTTY?: boolean;
  readonly stderrIsTTY?: boolean;
  readonly stdoutIsTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly homedir?: string;
}

/** A terminal or a pipe that remembers what was written. */
export class FakeStream extends Writable {
  readonly isTTY: boolean;
  columns: number;
  rows: number;
  text = "";
  /** Thrown back at every write. */
  failure: NodeJS.ErrnoException | undefined;

  constructor({ isTTY = false, columns = 80, rows = 24 } = {}) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.failure) this.text += String(chunk);
    done(this.failure);
  }
}

export class FakeIO implements CliIO {
  readonly stdin: Readable;
  readonly stdinIsTTY: boolean;
  readonly out: FakeStream;
  readonly err: FakeStream;
  readonly stdout: CliIO["stdout"];
  readonly stderr: CliIO["stderr"];
  readonly env: CliIO["env"];
  readonly cwd: string;
  readonly homedir: string;
  readonly clock = new FakeClock();
  /** Codes with which the process was ended at once. */
  readonly left: number[] = [];
  readonly #listeners = new Set<{ signal: string; listener: () => void }>();

  constructor(options: FakeIOOptions = {}) {
    const { stdin, columns = 80, rows = 24 } = options;
    this.stdinIsTTY = options.stdinIsTTY ?? stdin === undefined;
    this.stdin = stdin instanceof Readable ? stdin : textStream(stdin ?? "");
    this.out = new FakeStream({ isTTY: options.stdoutIsTTY ?? false, columns, rows });
    this.err = new FakeStream({ isTTY: options.stderrIsTTY ?? false, columns, rows });
    this.stdout = outputStream(this.out);
    this.stderr = outputStream(this.err);
    this.env = options.env ?? {};
    this.cwd = options.cwd ?? import.meta.dirname;
    this.homedir = options.homedir ?? temporaryFolder("troupe-home-");
  }

  onSignal(signal: string, listener: () => void): () => void {
    const entry = { signal, listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  onExit(): () => void {
    return () => {};
  }

  leave(code: number): void {
    this.left.push(code);
  }

  get signalListeners(): number {
    return this.#listeners.size;
  }

  send(signal: "SIGINT" | "SIGTERM" | "SIGHUP"): void {
    for (const entry of [...this.#listeners]) if (entry.signal === signal) entry.listener();
  }
}

function textStream(text: string): Readable {
  const stream = new PassThrough();
  stream.end(text);
  return stream;
}
