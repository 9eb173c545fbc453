/** What a source file imports, uses and declares, as far as the rules look at it. */
export interface SourceFile {
  /** From the repository's root, with `/`. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly uses: readonly Use[];
  /** Functions that are called when the file is loaded, by name. */
  readonly atLoad: readonly Use[];
  /** Names that it declares and exports. */
  readonly exports: readonly Use[];
}

export interface Import {
  /** A source file's path, a package's name with its sub-path, or `node:…`. */
  readonly to: string;
  /** Erased when it runs. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** Something of the language or the platform that a rule may forbid, such as `Date.now` or `any`. */
export interface Use {
  readonly what: string;
  readonly line: number;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  /** One sentence: what is wrong and what to do. */
  readonly message: string;
}
