import type { MergeMode } from "../../mailbox/worktree.ts";
import type { Leaf } from "./leaves.ts";
import { valuesIn } from "./values-in.ts";
import { type BaseRef, type OverlapRule, worktreeCatalogue } from "./worktree-catalogue.ts";
import type { Bringing, SetupSaid } from "./worktree-checks.ts";

/** Milliseconds that a set-up may take where nobody says. */
const SETUP_MS = 300_000;

/** What settings say about worktrees; what is absent nobody says. */
export interface SaidOfWorktrees {
  readonly baseRef?: BaseRef;
  readonly dependencies: Readonly<Record<string, Bringing>>;
  readonly setup?: { readonly command: string; readonly ready?: string; readonly timeoutMs: number };
  readonly check?: string;
  readonly checkTimeoutMs?: number;
  readonly merge?: MergeMode;
  readonly overlap?: OverlapRule;
}

/** `counted`: what counts of all files together. */
export function worktreeSettings(counted: readonly Leaf[]): SaidOfWorktrees {
  const said = worktreeCatalogue;
  const baseRef = valuesIn(counted, said.baseRef).at(-1);
  const setup = valuesIn(counted, said.setup).at(-1);
  const check = valuesIn(counted, said.check).at(-1);
  const checkTimeoutMs = valuesIn(counted, said.checkTimeoutMs).at(-1);
  const merge = valuesIn(counted, said.merge).at(-1);
  const overlap = valuesIn(counted, said.overlap).at(-1);
  const dependencies = valuesIn(counted, said.dependencies).flatMap((entry) => Object.entries(entry));
  return {
    ...(baseRef === undefined ? {} : { baseRef }),
    dependencies: Object.fromEntries(dependencies.map(([name, how]) => [name.replace(/\/$/, ""), how])),
    ...(setup === undefined ? {} : { setup: wholeSetup(setup) }),
    ...(check === undefined ? {} : { check }),
    ...(checkTimeoutMs === undefined ? {} : { checkTimeoutMs }),
    ...(merge === undefined ? {} : { merge }),
    ...(overlap === undefined ? {} : { overlap }),
  };
}

function wholeSetup(said: SetupSaid): SaidOfWorktrees["setup"] & object {
  return typeof said === "string"
    ? { command: said, timeoutMs: SETUP_MS }
    : { ...said, timeoutMs: said.timeoutMs ?? SETUP_MS };
}
