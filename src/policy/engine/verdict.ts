import type { Judgement } from "../judgement.ts";

/** A judgement before its grants are tried: the lists of rules of which the first that works is offered. */
export type Verdict = Omit<Judgement, "grants"> & { readonly proposals: readonly (readonly string[])[] };
