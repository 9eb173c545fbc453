/** One way to break the code, and the test that must fail then. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** The files of the test. */
  readonly tests: readonly string[];
  /** A part of its title, which may begin with the titles of what it stands in. */
  readonly title: string;
  /** True if `--core` tries it, too: of the journal, mailbox, actors, supervisor or worktrees, and quick. */
  readonly core?: true;
}
