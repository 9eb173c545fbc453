import * as z from "zod/mini";
import { nearName } from "../../lib/near-name.ts";
import { Accept } from "../../mailbox/acceptance.ts";

const Options = z.object({
  /** Three to five words that name the call. */
  label: z.optional(z.string()),
  phase: z.optional(z.string()),
  /** A JSON Schema: the call resolves to data that fits it. */
  schema: z.optional(z.record(z.string(), z.unknown())),
  agentType: z.optional(z.string()),
  model: z.optional(z.string()),
  isolation: z.optional(z.enum(["worktree"])),
  /** What must be true of its work. */
  accept: z.optional(Accept),
});

export const USUAL_AGENT = "general-purpose";

/** One call of `agent` in a script. */
export interface ScriptCall {
  /** Of its agent. */
  readonly type: string;
  readonly prompt: string;
  readonly options: z.infer<typeof Options>;
}

/** Throws a sentence for the script if the call cannot be obeyed as it is. */
export function readCall(prompt: unknown, options: unknown): ScriptCall {
  if (typeof prompt !== "string" || prompt.trim() === "")
    throw new Error("agent() needs a prompt: a text that is not empty.");
  const given = options ?? {};
  if (typeof given !== "object" || Array.isArray(given))
    throw new Error("The second argument of agent() is an object of options.");
  const known = Object.keys(Options.def.shape);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearName(name, known);
    throw new Error(
      `agent() has no option ${name}${near ? `; did you mean ${near}?` : `; it has ${known.join(", ")}.`}`,
    );
  }
  const parsed = z.safeParse(Options, given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`The option ${issue?.path.join(".")} of agent(): ${issue?.message}.`);
  }
  return { type: parsed.data.agentType ?? USUAL_AGENT, prompt, options: parsed.data };
}
