import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { detectImage, imageReference } from "../../context/references.ts";
import type { Picture } from "../../mailbox/conversation.ts";

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
