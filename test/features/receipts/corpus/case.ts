import type { Remembered } from "../../../../src/features/receipts/evidence.ts";

export interface Case {
  readonly name: string;
  readonly seen: Remembered;
  readonly report: string;
}
