import type { Joints } from "../../supervisor/joints.ts";
import { checkedEnd } from "./checked.ts";

export interface ReceiptsParts {
  readonly cwd: string;
  /** False: reports are not checked (default true). */
  readonly checkReports?: boolean;
  readonly onWarning: (message: string) => void;
}

/** Reports are checked against what their agents have read and run. Joint: `onEnd`, before anybody sees the summary. */
export function receiptsFeature({ onWarning, ...options }: ReceiptsParts): Joints {
  return { onEnd: ({ actor, summary }) => ({ summary: checkedEnd(actor, summary, options, onWarning) }) };
}
