import type { Git } from "../../src/worktrees/git.ts";

/**
 * A tool that isolates an agent and brings its edits home. An adapter is a module whose default export is one of these;
 * `npm run bench -- coming-home --adapter FILE` runs it beside the others. Only `name` and `bring` are needed.
 */
export interface HomeAdapter {
  readonly name: string;
  /**
   * Makes a directory with the files of the checkout, in which the agent then writes. Without it the benchmark makes
   * one: `git worktree add -b BRANCH DIR HEAD`. The user may have changed the checkout before, and changes it after.
   */
  isolate?(checkout: Checkout): Promise<IsolatedCopy | NotStarted>;
  /** Brings the edits in `copy` home. A rejection counts as an outcome that names no branch. */
  bring(checkout: Checkout, copy: IsolatedCopy): Promise<HomeOutcome>;
  /** Called once, after everything. */
  close?(): Promise<void>;
}

/** The user's checkout, for one agent. */
export interface Checkout {
  readonly dir: string;
  /** Git in the checkout, with an identity and without the settings of this machine. */
  readonly git: Git;
  /** The environment of that git, for the tool's own processes. */
  readonly env: Readonly<Record<string, string>>;
  /** An empty directory outside of the checkout, for whatever the tool needs. */
  readonly spare: string;
  /** The name of the agent, valid in a branch name and not used before in this checkout. */
  readonly agent: string;
}

export interface IsolatedCopy {
  readonly dir: string;
  /** The commit that the agent's files were at the start. */
  readonly base: string;
  /** The branch that `dir` is on, which the tool may move and delete; null if there is none. */
  readonly branch: string | null;
}

export interface NotStarted {
  readonly type: "not started";
  readonly why: string;
}

export type HomeOutcome =
  /** The edits are in the files of the checkout, committed or not. */
  | { readonly type: "home" }
  /** They are not, and the user is told why. `branch` has them; null if the user is told no branch. */
  | { readonly type: "kept"; readonly branch: string | null; readonly why: string };
