import type { ActorId } from "../mailbox/ids.ts";
import type { Rule } from "../settings/rules.ts";
import type { Tier } from "./judgement.ts";

/** Why a call may run or not: the journal keeps it. */
export interface Grounds {
  readonly by: "rules" | "hook" | "person" | "nobody" | "stop"; // word-ok
  /** One sentence or clause. */
  readonly reason: string;
  readonly rule?: Rule;
  /** Of an allowed command. */
  readonly tier?: Tier;
}

/** A denied call, as `--output-format json` lists it. */
export interface PermissionDenial extends Pick<Grounds, "by" | "reason" | "rule"> {
  readonly actor: ActorId;
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
  /** The rules that would have allowed this very call; empty if none would. */
  readonly grants: readonly string[];
}
