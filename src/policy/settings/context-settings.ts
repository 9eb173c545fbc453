import {
  type AgentListPlace,
  contextCatalogue,
  type DeferListing,
  type DeferRule,
} from "./context-catalogue.ts";
import type { Leaf } from "./leaves.ts";
import { valuesIn } from "./values-in.ts";

/** What settings say about what models are told; what is absent nobody says. */
export interface SaidOfContext {
  readonly deferTools?: {
    readonly tools?: DeferRule;
    readonly above?: number;
    readonly names?: DeferListing;
  };
  readonly checkReports?: boolean;
  readonly agentListing?: AgentListPlace;
}

/** `counted`: what counts of all files together. */
export function contextSettings(counted: readonly Leaf[]): SaidOfContext {
  const tools = valuesIn(counted, contextCatalogue.deferTools).at(-1);
  const above = valuesIn(counted, contextCatalogue.deferToolsAbove).at(-1);
  const names = valuesIn(counted, contextCatalogue.deferToolsListing).at(-1);
  const checkReports = valuesIn(counted, contextCatalogue.checkReports).at(-1);
  const agentListing = valuesIn(counted, contextCatalogue.agentListing).at(-1);
  const deferTools = {
    ...(tools === undefined ? {} : { tools }),
    ...(above === undefined ? {} : { above }),
    ...(names === undefined ? {} : { names }),
  };
  return {
    ...(Object.keys(deferTools).length === 0 ? {} : { deferTools }),
    ...(checkReports === undefined ? {} : { checkReports }),
    ...(agentListing === undefined ? {} : { agentListing }),
  };
}
