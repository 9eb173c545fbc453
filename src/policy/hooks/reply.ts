import * as z from "zod/mini";
import { parseJson } from "../../lib/json.ts";

const Text = z.optional(z.string("must be a text"));

/** The JSON that people's hooks print: all of it is optional. */
const Envelope = z.object({
  continue: z.optional(z.boolean("must be true or false")),
  stopReason: Text,
  /** Accepted; what a hook prints is shown to nobody but the model anyway. */
  suppressOutput: z.optional(z.boolean("must be true or false")),
  systemMessage: Text,
  decision: z.optional(z.enum(["approve", "block"], "must be approve or block")),
  reason: Text,
  hookSpecificOutput: z.optional(
    z.object(
      {
        permissionDecision: z.optional(z.enum(["allow", "deny", "ask"], "must be allow, deny or ask")),
        permissionDecisionReason: Text,
        updatedInput: z.optional(z.record(z.string(), z.unknown(), "must be an object")),
        additionalContext: Text,
        /** Ours: UserPromptSubmit has no other way to change a prompt. */
        updatedPrompt: Text,
      },
      "must be an object",
    ),
  ),
});
export type Envelope = z.infer<typeof Envelope>;

const ENVELOPE_KEYS = Object.keys(Envelope.def.shape);

/** What a hook that succeeded has printed. */
export type Reply =
  /** No JSON object. */
  | { readonly type: "text"; readonly text: string }
  /** A JSON object that has nothing of an envelope. */
  | { readonly type: "object"; readonly text: string; readonly value: Readonly<Record<string, unknown>> }
  | { readonly type: "envelope"; readonly envelope: Envelope }
  /** Meant as JSON, but it cannot be understood. `why` completes the sentence "The hook …". */
  | { readonly type: "broken"; readonly text: string; readonly why: string };

const Fields = z.record(z.string(), z.unknown());

export function replyOf(stdout: string): Reply {
  const text = stdout.trim();
  if (!text.startsWith("{")) return { type: "text", text };
  const parsed = parseJson(text);
  if (parsed === undefined)
    return { type: "broken", text, why: "printed what begins like a JSON object and is none" };
  const value = Fields.parse(parsed);
  if (!ENVELOPE_KEYS.some((key) => Object.hasOwn(value, key))) return { type: "object", text, value };
  const envelope = z.safeParse(Envelope, value);
  if (envelope.success) return { type: "envelope", envelope: envelope.data };
  const [issue] = envelope.error.issues;
  const why = `printed JSON in which ${z.core.toDotPath(issue?.path ?? [])} ${issue?.message ?? "is not valid"}`;
  return { type: "broken", text, why };
}
