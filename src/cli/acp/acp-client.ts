import { once } from "node:events";
import {
  type AgentConnection,
  type ClientCapabilities,
  type ElicitationPropertySchema,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCall,
} from "@agentclientprotocol/sdk";
import { isObject } from "../../lib/objects.ts";
import type { ShowForm } from "../mcp-serve/elicit-user.ts";

/** What one session asks of its client, and shows it. */
export interface AcpClient {
  /** Never throws: a client that has gone is shown nothing. */
  show(update: SessionUpdate): void;
  choose(
    toolCall: ToolCall,
    options: PermissionOption[],
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse["outcome"]>;
  /** Null if the client shows no forms. */
  readonly showForm: ShowForm | null;
}

/** `session`: its ID, as soon as there is one. */
export function acpClient(
  { client, signal: gone }: Pick<AgentConnection, "client" | "signal">,
  capabilities: ClientCapabilities,
  session: () => string,
): AcpClient {
  /** An answer that no longer comes is none: the session is about to be left, and its agents must not learn of a no. */
  const answered = async <T>(answer: Promise<T>, signal: AbortSignal): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (gone.aborted && !signal.aborted) await once(signal, "abort");
      throw error;
    }
  };
  const showForm: ShowForm = async ({ message, fields, required }, signal) => {
    const properties = Object.fromEntries(
      Object.entries(fields).map(([name, { type, title, description, enum: values }]) => {
        const more = { ...(description ? { description } : {}), ...(values ? { enum: values } : {}) };
        return [name, { type, title, ...more } satisfies ElicitationPropertySchema];
      }),
    );
    const answer = client.request(
      methods.client.elicitation.create,
      {
        ...{ mode: "form", sessionId: session(), message },
        requestedSchema: { type: "object", properties, required: [...required] },
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    const { action, content = {} }: { action: string; content?: unknown } = await answered(answer, signal);
    if (action !== "accept") return { action: action === "decline" ? "decline" : "cancel" };
    return { action, content: isObject(content) ? content : {} };
  };
  return {
    show(update) {
      client.notify(methods.client.session.update, { sessionId: session(), update }).catch(() => {});
    },
    async choose(toolCall, options, signal) {
      const request: RequestPermissionRequest = { sessionId: session(), toolCall, options };
      const answer = client.request(methods.client.session.requestPermission, request, {
        ...{ cancellationSignal: signal, stopWaitingOnCancel: true },
      });
      return (await answered(answer, signal)).outcome;
    },
    showForm: capabilities.elicitation?.form ? showForm : null,
  };
}
