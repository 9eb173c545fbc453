// What the tests use of these packages: types are checked also where they are not installed yet.
declare module "@xterm/headless" {
  interface Buffer {
    readonly baseY: number;
    readonly cursorX: number;
    readonly cursorY: number;
    readonly length: number;
    getLine(row: number): { translateToString(trimRight: boolean): string } | undefined;
  }
  class Terminal {
    constructor(options: {
      cols: number;
      rows: number;
      scrollback: number;
      allowProposedApi: boolean;
      convertEol: boolean;
    });
    readonly buffer: { readonly active: Buffer };
    write(text: string, done?: () => void): void;
    resize(columns: number, rows: number): void;
    onData(listener: (text: string) => void): void;
  }
  const xterm: { readonly Terminal: typeof Terminal };
  export default xterm;
}

declare module "@lydell/node-pty" {
  export interface IPty {
    readonly pid: number;
    onData(listener: (text: string) => void): void;
    onExit(listener: (end: { readonly exitCode: number; readonly signal?: number }) => void): void;
    write(text: string): void;
    resize(columns: number, rows: number): void;
    kill(signal: string): void;
  }
  export function spawn(
    file: string,
    args: readonly string[],
    options: {
      cols: number;
      rows: number;
      cwd: string;
      name: string;
      env: Readonly<Record<string, string | undefined>>;
    },
  ): IPty;
}
