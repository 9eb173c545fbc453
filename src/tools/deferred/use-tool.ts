import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type AgentCallContext, failed, type Tool, type ToolFailure } from "../tool.ts";
import { CALLER, whyNothing } from "./resolve-call.ts";

const Input = z.strictObject({
  tool: z.string().check(z.describe("Name of a deferred tool (required)")),
  input: z.optional(z.record(z.string(), z.unknown()).check(z.describe("What its input_schema asks for"))),
});
type Input = z.infer<typeof Input>;

/**
 * Stands in the request for all tools that do not, so that what a model is told stays byte for byte the same whatever it
 * finds (docs/decisions/0025). A call of it is a call of the tool it names: `meant` takes it apart before anything else,
 * and what comes here means nothing.
 */
export const useToolTool: Tool<Input, ToolFailure, AgentCallContext> = {
  name: CALLER,
  aliases: [],
  permissionLevel: "read",
  parallel: true,
  inputSchema: Input,
  description: {
    what: "Calls a deferred tool. It runs, and is allowed or not, as if you had called it by its own name.",
    when: ["when you know the schema of a deferred tool.", naming`${"ToolSearch"} shows it.`],
    whenNot: "for tools that you have already: call those by their names.",
    how: "`tool` is its name; `input` is an object that fits its input_schema, not a text.",
    recover: [
      "An answer about invalid input names what is wrong: correct it and call again.",
      naming`Look at the schema again with ${"ToolSearch"}.`,
    ],
    limits: "those of the tool that is called.",
  },
  title: ({ tool }) => tool,
  accesses: () => [],
  async call(input) {
    return failed(whyNothing(input, []));
  },
  mapToolResultToToolResultBlockParam: ({ message }) => message,
};
