import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type AgentCallContext, failed, type Tool, type ToolFailure } from "../tool.ts";
import { CALLER, unresolvedCall } from "./resolve-call.ts";

const Input = z.strictObject({
  tool: z.string().check(z.describe("Name of a deferred tool (required)")),
  input: z.optional(z.record(z.string(), z.unknown()).check(z.describe("What its input_schema asks for"))),
});
type Input = z.infer<typeof Input>;

/**
 * Calls every tool that is not in the request, so that the request stays the same bytes whatever a search finds
 * (docs/decisions/0025). `resolveCall` turns a call of it into a call of the tool it names, so what arrives here is wrong.
 */
export const useToolTool: Tool<Input, ToolFailure, AgentCallContext> = {
  name: CALLER,
  permissionLevel: "read",
  inputSchema: Input,
  description: {
    what: "Calls a deferred tool. It runs, and is allowed or not, as if you had called it by its own name.",
    when: ["when you know the schema of a deferred tool.", naming`${"ToolSearch"} shows it.`],
    whenNot: "for tools that you already have: call those by their names.",
    how: "`tool` is its name; `input` is an object that fits its input_schema, not a text.",
    recover: [
      "A result about invalid input names what is wrong: correct it and call again.",
      naming`Look at the schema again with ${"ToolSearch"}.`,
    ],
    limits: "those of the tool that is called.",
  },
  title: ({ tool }) => tool,
  async call(input) {
    return failed(unresolvedCall(input, []));
  },
  mapToolResultToToolResultBlockParam: ({ message }) => message,
};
