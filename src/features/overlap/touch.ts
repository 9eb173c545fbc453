import type { ActorId } from "../../mailbox/ids.ts";
import type { Notice } from "../../supervisor/notices.ts";

/** Whether two agents change the same lines of a file; `unknown` if that cannot be found out in time. */
export type TouchedLines = "same" | "others" | "unknown";

/** Another agent that writes to the same file, as one of the two sees it. */
export interface Touch {
  readonly other: ActorId;
  readonly description: string;
  readonly path: string;
  readonly lines: TouchedLines;
}

/** Everything found at one moment. */
export interface OverlapNotice extends Notice {
  readonly touches: readonly Touch[];
}
