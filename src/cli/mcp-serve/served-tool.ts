import * as z from "zod/mini";
import { errorMessage } from "../../lib/errors.ts";
import { inputErrors } from "../../tools/bind-tool.ts";

/** One call of a client. */
export interface ServedCall {
  /** Aborted when the client takes the call back. */
  readonly signal: AbortSignal;
  /** Tells the client how far the work is; null where it did not ask to be told. */
  readonly tell: ((count: number, words: string) => void) | null;
}

/** What a call has come to: the same for a reader and for a program. */
export interface ServedResult<Data extends object = object> {
  /** One block of text each. */
  readonly texts: readonly string[];
  readonly data: Data;
  /** Nothing of it is of use. */
  readonly isError?: boolean;
}

/** What a client is told of a tool by which it can judge a call before it makes it. */
export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as it is written: its input and its output as schemas. */
export interface ToolText<Input, Data extends object> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodMiniType<Input>;
  readonly output: z.ZodMiniType<Data>;
  readonly hints: Hints;
  /** Throws, with a sentence, where it cannot. */
  run(input: Input, call: ServedCall): Promise<ServedResult<Data>>;
}

/** The same for whoever has tools of all inputs in one list. */
export interface ServedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly hints: Hints;
  /** Never rejects: what went wrong is a result, too. */
  call(raw: unknown, call: ServedCall): Promise<Answer>;
}

export type ObjectSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

export interface Answer {
  readonly texts: readonly string[];
  readonly data?: object;
  readonly isError: boolean;
}

export function servedTool<Input, Data extends object>(tool: ToolText<Input, Data>): ServedTool {
  const { name, title, description, hints } = tool;
  return {
    ...{ name, title, description, hints },
    inputSchema: schemaOf(tool.input),
    outputSchema: schemaOf(tool.output),
    async call(raw, call) {
      const input = z.safeParse(tool.input, raw ?? {}, { reportInput: true });
      if (!input.success) return failure(inputErrors(name, input.error));
      try {
        const { texts, data, isError = false } = await tool.run(input.data, call);
        return { texts, data, isError };
      } catch (error) {
        return failure(errorMessage(error));
      }
    },
  };
}

export function failure(sentence: string): Answer {
  return { texts: [sentence], isError: true };
}

/** As the widely used validators of clients know it, and open to what a later version adds to an answer. */
function schemaOf(schema: z.core.$ZodType): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    ...{ target: "draft-7", io: "input", unrepresentable: "any" },
  });
  return { ...made, type: "object" };
}
