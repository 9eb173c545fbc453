import type { Joints } from "../../supervisor/joints.ts";
import { checkedEnd } from "./checked.ts";

export interface ReceiptsParts {
  readonly cwd: string;
  /** False to not check reports (default true). */
  readonly checkReports?: boolean;
  readonly onWarning: (message: string) => void;
}

/** Checks reports against what their agents have read and run. Joint: `onEnd`, before the summary is delivered. */
export function receiptsFeature({ onWarning, ...options }: ReceiptsParts): Joints {
  return { onEnd: ({ actor, summary }) => ({ summary: checkedEnd(actor, summary, options, onWarning) }) };
}
