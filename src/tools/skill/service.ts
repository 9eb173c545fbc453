import type { CallContext } from "../tool.ts";

/** What came of a call of Skill; every sentence is for the model. */
export type Loaded =
  /** Its text comes with the results of this turn. */
  | { readonly type: "loaded"; readonly name: string; readonly note?: string }
  /** It is in the conversation already, and nothing more comes. */
  | { readonly type: "already"; readonly name: string }
  /** An agent of its own carried it out. */
  | { readonly type: "carried-out"; readonly report: string }
  | { readonly type: "refused"; readonly reason: string };

/** Where skills are loaded: the session's side. */
export interface SkillService {
  load(name: string, args: string, context: CallContext): Promise<Loaded>;
}
