/** Something that a person should repair. */
export interface AgentProblem {
  /** Absolute; null: of the flag. */
  readonly file: string | null;
  readonly line: number | null;
  /** A sentence. */
  readonly message: string;
}
