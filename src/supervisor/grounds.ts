import type { Tier } from "../policy/judgement.ts";
import type { Rule } from "../settings/rules.ts";

/** Why a call may run or not: the journal keeps it. */
export interface Grounds {
  readonly by: "rules" | "hook" | "person" | "nobody" | "stop"; // word-ok
  /** One sentence or clause. */
  readonly reason: string;
  readonly rule?: Rule;
  /** Of an allowed command. */
  readonly tier?: Tier;
}
