import type { CallContext } from "../tool.ts";

/** The result of a call of Skill; all texts are for the model. */
export type Loaded =
  /** Its text comes with the results of this turn. */
  | { readonly type: "loaded"; readonly name: string; readonly note?: string }
  /** It is in the conversation already. */
  | { readonly type: "already"; readonly name: string }
  /** A separate agent has carried it out. */
  | { readonly type: "carried-out"; readonly report: string }
  | { readonly type: "refused"; readonly reason: string };

/** Loads skills on the session's side. */
export interface SkillService {
  load(name: string, args: string, context: CallContext): Promise<Loaded>;
}
