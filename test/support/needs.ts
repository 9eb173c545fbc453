import type { TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test or suite is skipped here. */
    skipped?: string;
  }
}

/** Returns options that skip a test or suite for a reason, which the last lines of the run count; null: it runs. */
export function unless(reason: string | null): TestOptions {
  return reason === null ? {} : { skip: true, meta: { skipped: reason } };
}

/** Options of what only Linux can show. */
export const onLinux: TestOptions = unless(process.platform === "linux" ? null : "this is not Linux");
