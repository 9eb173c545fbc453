import { contextCatalogue } from "./context-catalogue.ts";
import type { Leaf } from "./leaves.ts";
import { type Said, said } from "./values-in.ts";

const { deferTools: tools, deferToolsAbove: above, deferToolsListing: names, ...others } = contextCatalogue;
const deferring = { tools, above, names };

/** What settings say about what models are told; what is absent nobody says. */
export interface SaidOfContext extends Said<typeof others> {
  readonly deferTools?: Said<typeof deferring>;
}

/** `counted`: what counts of all files together. */
export function contextSettings(counted: readonly Leaf[]): SaidOfContext {
  const deferTools = said(counted, deferring);
  return {
    ...(Object.keys(deferTools).length === 0 ? {} : { deferTools }),
    ...said(counted, others),
  };
}
