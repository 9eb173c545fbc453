/** A server that knows MCP 2026-07-28 only, written from what the protocol's own SDK sends (`server` 2.4.0). */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: string };
    readonly inputResponses?: { readonly who?: { readonly content?: { readonly name?: string } } };
    readonly requestState?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const META = "io.modelcontextprotocol";
const QUESTION = {
  method: "elicitation/create",
  params: {
    ...{ mode: "form", message: "Who are you?" },
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  },
};

/** Arguments that a client sends as headers too. */
const PROPERTIES: Readonly<Record<string, object>> = {
  marked: {
    text: { type: "string" },
    region: { type: "string", "x-mcp-header": "Region" },
    deep: {
      type: "object",
      properties: {
        count: { type: "integer", "x-mcp-header": "Count" },
        flag: { type: "boolean", "x-mcp-header": "Flag" },
        none: { type: "string", "x-mcp-header": "None" },
      },
    },
  },
  broken: { text: { type: "string", "x-mcp-header": "A B" } },
};

export class StatelessServer {
  readonly #send: (message: object) => void;
  readonly #seen = new Set<string | number>();
  #tools = ["echo", "ask", "add", "hang", "marked", "broken"];
  #listening = false;
  #cancelled: unknown = null;

  /** `send` gets each response, and notifications for which a client listens. */
  constructor(send: (message: object) => void) {
    this.#send = send;
  }

  receive(message: Message): void {
    const { id, params = {} } = message;
    if (message.method === "notifications/cancelled") this.#cancelled = params;
    if (id === undefined) return;
    const answer = this.#refusal(id, params) ?? this.#answer(message);
    if (answer !== null) this.#send({ jsonrpc: "2.0", id, ...answer });
  }

  #refusal(id: string | number, { _meta: meta = {} }: NonNullable<Message["params"]>): object | null {
    const [version, ...others] = ["protocolVersion", "clientInfo", "clientCapabilities"].map(
      (key) => meta[`${META}/${key}`],
    );
    if (version !== "2026-07-28") return error(-32_022, "Unsupported protocol version");
    if (others.includes(undefined)) return error(-32_602, "The envelope is not complete");
    if (this.#seen.has(id)) return error(-32_600, `The id ${id} was used before`);
    this.#seen.add(id);
    return null;
  }

  #answer({ method, params = {} }: Message): object | null {
    switch (method) {
      case "server/discover":
        return complete({
          ...{ supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } } },
          ...{
            instructions: "No handshake.",
            _meta: { [`${META}/serverInfo`]: { name: "s", version: "1" } },
          },
        });
      case "subscriptions/listen":
        this.#listening = true;
        return null;
      case "tools/list":
        return complete({
          tools: this.#tools.map((name) => ({
            name,
            inputSchema: { type: "object", properties: PROPERTIES[name] ?? {} },
          })),
        });
      case "tools/call":
        return this.#call(params);
      default:
        return error(-32_601, "Method not found");
    }
  }

  #add(tool: string): void {
    this.#tools = [...this.#tools, tool];
    if (this.#listening) this.#send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  }

  #call(params: NonNullable<Message["params"]>): object | null {
    const say = (text: string) => complete({ content: [{ type: "text", text }] });
    switch (params.name) {
      case "ask": {
        const { inputResponses, requestState } = params;
        return inputResponses === undefined
          ? {
              result: {
                ...{ resultType: "input_required", inputRequests: { who: QUESTION }, requestState: "s1" },
              },
            }
          : say(`${requestState}: hello ${inputResponses.who?.content?.name ?? "nobody"}`);
      }
      case "add":
        this.#add("added");
        return say("added");
      case "hang":
        this.#add("hangs");
        return null;
      default:
        return say(`echo ${params.arguments?.text} ${JSON.stringify(this.#cancelled)}`);
    }
  }
}

function complete(result: object): object {
  return { result: { ...result, resultType: "complete" } };
}

function error(code: number, message: string): object {
  return { error: { code, message } };
}
