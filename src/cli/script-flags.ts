import { repeated } from "./option.ts";

/** Flags of `troupe run` alone. */
export const runFlags = {
  arg: repeated({
    name: "arg",
    value: "KEY=VALUE",
    summary: "one entry of the script's args; a value that is JSON is data, any other is text",
  }),
  force: repeated({
    name: "force",
    value: "CALL",
    summary: "with --resume: run the call of this label again, and what depends on its result",
  }),
} as const;
