import type { Status } from "../mailbox/messages.ts";

/**
 * What `subtype` says in JSON. `success` only for what is done; `error_max_turns` and
 * `error_during_execution` are the words people's scripts know; every other end is called what it is.
 */
export type Subtype =
  | "success"
  | "error_max_turns"
  | "error_during_execution"
  | "partial"
  | "cancelled"
  | "timed_out"
  | "out_of_memory"
  | "over_budget";

export function subtypeOf(status: Status): Subtype {
  switch (status) {
    case "done":
      return "success";
    case "out_of_turns":
      return "error_max_turns";
    case "failed":
      return "error_during_execution";
    case "partial":
    case "cancelled":
    case "timed_out":
    case "out_of_memory":
    case "over_budget":
      return status;
    default:
      return status satisfies never;
  }
}

/** Of several tasks together: how most of the damage would be called, the worst word for a mix. */
export function subtypeOfAll(statuses: readonly Status[]): Subtype {
  const [first = "done"] = statuses;
  if (statuses.every((status) => status === first)) return subtypeOf(first);
  return statuses.includes("done") || statuses.includes("partial") ? "partial" : "error_during_execution";
}
