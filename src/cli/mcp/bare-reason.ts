import type { ServerStatus } from "../../mcp/mcp.ts";

/** Removes the server and the file from the start of a sentence, for a row that has the name already. */
export function bareReason(sentence: string, { name, file }: Pick<ServerStatus, "name" | "file">): string {
  const server = `The MCP server "${name}"`;
  const beginning = [
    `${server} (${file}) wants you to sign in: `,
    `${server} (${file}) `,
    `${server} of ${file} is `,
    `${server} is not started: `,
    `${server} `,
  ].find((words) => sentence.startsWith(words));
  return sentence.slice(beginning?.length ?? 0);
}
