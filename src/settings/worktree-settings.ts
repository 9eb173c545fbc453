import type { Leaf } from "./leaves.ts";
import { entriesIn, type Said, said } from "./values-in.ts";
import { worktreeCatalogue } from "./worktree-catalogue.ts";
import type { Bringing, SetupSaid } from "./worktree-checks.ts";

/** Milliseconds that a set-up may take where nobody says. */
const SETUP_MS = 300_000;

const { dependencies, setup, ...others } = worktreeCatalogue;

/** What settings say about worktrees; what is absent nobody says. */
export interface SaidOfWorktrees extends Said<typeof others> {
  readonly dependencies: Readonly<Record<string, Bringing>>;
  readonly setup?: { readonly command: string; readonly ready?: string; readonly timeoutMs: number };
}

/** `counted`: what counts of all files together. */
export function worktreeSettings(counted: readonly Leaf[]): SaidOfWorktrees {
  const brought = Object.entries(entriesIn(counted, dependencies));
  const given = said(counted, { setup });
  return {
    ...said(counted, others),
    dependencies: Object.fromEntries(brought.map(([name, how]) => [name.replace(/\/$/, ""), how])),
    ...(given.setup === undefined ? {} : { setup: wholeSetup(given.setup) }),
  };
}

function wholeSetup(given: SetupSaid): SaidOfWorktrees["setup"] & object {
  return typeof given === "string"
    ? { command: given, timeoutMs: SETUP_MS }
    : { ...given, timeoutMs: given.timeoutMs ?? SETUP_MS };
}
