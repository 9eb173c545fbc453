import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";

/**
 * Returns a prompt as text: files of this machine as `@path`, so that they are attached as if they had been typed, and
 * what the client embeds as text in tags.
 */
export function promptText(blocks: readonly ContentBlock[]): string {
  const parts = blocks.map((block): string => {
    switch (block.type) {
      case "text":
        return block.text;
      case "resource_link":
        return mention(block.uri);
      case "resource": {
        const { resource } = block;
        if (!("text" in resource)) return mention(resource.uri);
        return `\n<resource uri=${JSON.stringify(resource.uri)}>\n${resource.text}\n</resource>\n`;
      }
      // The agent does not offer them.
      case "image":
      case "audio":
        return `[${block.type} that was left out]`;
      default:
        return block satisfies never;
    }
  });
  return parts.join("").trim();
}

function mention(uri: string): string {
  try {
    const path = fileURLToPath(uri);
    return /[\s"]/.test(path) ? ` @"${path}" ` : ` @${path} `;
  } catch {
    return ` ${uri} `;
  }
}
