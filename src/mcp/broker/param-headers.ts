import * as z from "zod/mini";
import { valueAt } from "../../lib/json.ts";

/** An argument of a tool that is sent as a header too, by its path in the input. */
export interface HeaderParam {
  readonly path: readonly string[];
  readonly header: string;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The protocol says the first three; its own SDK and its tests accept numbers too. */
const PLAIN_TYPES = ["string", "integer", "boolean", "number"];
const MARK = "x-mcp-header";

const Schema = z.looseObject({
  properties: z.optional(z.record(z.string(), z.unknown())),
  type: z.optional(z.unknown()),
});
const Listed = z.object({
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })),
});

/** Returns what a schema marks with `x-mcp-header`, or a sentence if a mark breaks the protocol's rules. */
export function readHeaderParams(inputSchema: unknown): readonly HeaderParam[] | string {
  const params: HeaderParam[] = [];
  const names = new Set<string>();
  const visit = (schema: unknown, path: readonly string[]): string | null => {
    const { data } = Schema.safeParse(schema);
    if (data === undefined) return null;
    const header = data[MARK];
    if (header !== undefined) {
      if (typeof header !== "string" || !TOKEN.test(header) || names.has(header.toLowerCase()))
        return `${MARK} ${JSON.stringify(header)} is not a name of its own`;
      if (path.length === 0 || typeof data.type !== "string" || !PLAIN_TYPES.includes(data.type))
        return `${MARK} ${JSON.stringify(header)} is not on a text, a number or a boolean`;
      names.add(header.toLowerCase());
      params.push({ path, header });
    }
    for (const [name, value] of Object.entries(data.properties ?? {})) {
      const problem = visit(value, [...path, name]);
      if (problem !== null) return problem;
    }
    return null;
  };
  return visit(inputSchema, []) ?? params;
}

/** The headers that calls of one server's tools need, as its last list says (MCP 2026-07-28). */
export class ParamHeaders {
  readonly #byTool = new Map<string, readonly HeaderParam[]>();

  /** Reads a page of the list of tools. */
  learn(result: unknown): void {
    for (const { name, inputSchema } of Listed.safeParse(result).data?.tools ?? []) {
      const params = readHeaderParams(inputSchema);
      this.#byTool.set(name, typeof params === "string" ? [] : params);
    }
  }

  /** Returns name and value of each; an argument that is absent or null has none. */
  headersOf(tool: string, input: unknown): readonly (readonly [string, string])[] {
    return (this.#byTool.get(tool) ?? []).flatMap(({ path, header }) => {
      const value = valueAt(input, path);
      const isPlain = ["string", "number", "boolean"].includes(typeof value);
      return isPlain ? [[`mcp-param-${header}`, headerValue(String(value))] as const] : [];
    });
  }
}

/** As it is if a header can hold it, else in the protocol's own base64 form. */
export function headerValue(name: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith("=?base64?");
  return isPlain ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}
