import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  type AgentConnection,
  type ClientCapabilities,
  type ContentBlock,
  type ElicitationPropertySchema,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCall,
} from "@agentclientprotocol/sdk";
import { detectImage, imageReference } from "../../context/references.ts";
import { isObject } from "../../lib/json.ts";
import type { Picture } from "../../mailbox/conversation.ts";
import type { ShowForm } from "../mcp-serve/elicit-user.ts";

export type AcpClient = ReturnType<typeof acpClient>;

/** What one session asks of its client, and shows it. `session`: its ID, as soon as there is one. */
export function acpClient(
  { client, signal: gone }: Pick<AgentConnection, "client" | "signal">,
  capabilities: ClientCapabilities,
  session: () => string,
) {
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
    /** Never throws: a client that has gone is shown nothing. */
    show(update: SessionUpdate) {
      client.notify(methods.client.session.update, { sessionId: session(), update }).catch(() => {});
    },
    async choose(
      toolCall: ToolCall,
      options: PermissionOption[],
      signal: AbortSignal,
    ): Promise<RequestPermissionResponse["outcome"]> {
      const request: RequestPermissionRequest = { sessionId: session(), toolCall, options };
      const answer = client.request(methods.client.session.requestPermission, request, {
        ...{ cancellationSignal: signal, stopWaitingOnCancel: true },
      });
      return (await answered(answer, signal)).outcome;
    },
    /** Null if the client shows no forms. */
    showForm: capabilities.elicitation?.form ? showForm : null,
  };
}

export interface ClientPrompt {
  readonly text: string;
  /** Each is named in the text where it was. */
  readonly images: readonly Picture[];
}

/**
 * Returns a prompt: files of this machine as `@path`, so that they are attached as if they had been typed, what the client
 * embeds as text in tags, and images. Throws a sentence if an image cannot be sent.
 */
export function readClientPrompt(blocks: readonly ContentBlock[]): ClientPrompt {
  const images: Picture[] = [];
  const image = (data: string): string => {
    const picture = detectImage(Buffer.from(data, "base64"));
    if (picture === null) throw new Error(NOT_SENT);
    images.push(picture);
    return ` ${imageReference(picture).mark} `;
  };
  const parts = blocks.map((block): string => {
    switch (block.type) {
      case "text":
        return block.text;
      case "resource_link":
        return mention(block.uri);
      case "resource": {
        const { resource } = block;
        if ("text" in resource)
          return `\n<resource uri=${JSON.stringify(resource.uri)}>\n${resource.text}\n</resource>\n`;
        return resource.mimeType?.startsWith("image/") ? image(resource.blob) : mention(resource.uri);
      }
      case "image":
        return image(block.data);
      // It is not offered.
      case "audio":
        return "[audio that was left out]";
      default:
        return block satisfies never;
    }
  });
  return { text: parts.join("").trim(), images };
}

const NOT_SENT =
  "An image of the prompt cannot be sent: it must be a PNG, JPEG, GIF or WebP of at most 3 MB. Link its file instead; Read makes it smaller.";

function mention(uri: string): string {
  try {
    const path = fileURLToPath(uri);
    return /[\s"]/.test(path) ? ` @"${path}" ` : ` @${path} `;
  } catch {
    return ` ${uri} `;
  }
}
