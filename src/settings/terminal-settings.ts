import * as z from "zod/mini";
import { nonBlank, setting } from "./setting.ts";

/** The settings of what a conversation shows in the terminal. */
export const terminalSettings = {
  statusLine: setting(
    "statusLine",
    {
      what: 'an object with "type": "command" and a "command", and perhaps a "padding" from 0 to 40',
      schema: z.object({
        type: z.literal("command"),
        command: nonBlank(),
        padding: z.optional(z.int().check(z.minimum(0), z.maximum(40))),
      }),
    },
    'A shell command whose output replaces the line below the prompt: `{"type": "command", "command": …}`, with `padding` for spaces before it. It reads JSON about the session on stdin, has 5 s, and runs after something has changed, at most every 300 ms. It is a hook for `disableAllHooks` and `allowManagedHooksOnly`.',
    { fallback: "model, mode, context, cost, branch, agents" },
  ),
} as const;
