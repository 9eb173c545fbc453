import type { Judgement } from "../judgement.ts";

/** A decision before its grants are tried: lists of rules, the first working one of which is offered. */
export type Verdict = Omit<Judgement, "grants"> & { readonly proposals: readonly (readonly string[])[] };
