/** A message of the Messages API, as far as its form is checked. */
export interface AnyMessage {
  readonly role: string;
  readonly content: string | readonly AnyBlock[];
}

interface AnyBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * What an API would refuse in these messages, one sentence each: roles alternate from the person on, no message is
 * empty, every tool_use has exactly one tool_result at the head of the message right after it, IDs and names of calls have
 * only the characters that it takes, and no string has half a character in it.
 */
export function conversationFaults(messages: readonly AnyMessage[]): string[] {
  const faults: string[] = [];
  const used = new Set<string>();
  for (const [n, message] of messages.entries()) {
    const due = n % 2 === 0 ? "user" : "assistant";
    if (message.role !== due) faults.push(`message ${n} is the ${message.role}'s where the ${due}'s is due`);
    const blocks = blocksOf(message);
    if (blocks.length === 0) faults.push(`message ${n} is empty`);
    const calls = idsOf(n === 0 ? [] : blocksOf(messages[n - 1]), "tool_use", "id");
    faults.push(...resultFaults(n, blocks, calls));
    faults.push(...oddNames(blocks));
    for (const id of idsOf(blocks, "tool_use", "id")) {
      if (used.has(id)) faults.push(`the call ${id} is there twice`);
      used.add(id);
    }
  }
  const open = idsOf(blocksOf(messages.at(-1)), "tool_use", "id");
  if (open.length > 0) faults.push(`the last message has calls without results: ${open.join(", ")}`);
  if (!isWellFormed(messages)) faults.push("a string has half a character in it");
  return faults;
}

function oddNames(blocks: readonly AnyBlock[]): string[] {
  const ids = [...idsOf(blocks, "tool_use", "id"), ...idsOf(blocks, "tool_result", "tool_use_id")];
  const names = idsOf(blocks, "tool_use", "name");
  return [
    ...ids.filter((id) => !/^[a-zA-Z0-9_-]+$/.test(id)).map((id) => `the ID ${id} of a call is odd`),
    ...names
      .filter((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      .map((name) => `the name ${name} of a call is odd`),
  ];
}

/** The results of one message against the calls of the one before it. */
function resultFaults(n: number, blocks: readonly AnyBlock[], calls: readonly string[]): string[] {
  const results = idsOf(blocks, "tool_result", "tool_use_id");
  const head = idsOf(blocks.slice(0, results.length), "tool_result", "tool_use_id");
  const faults = head.length === results.length ? [] : [`message ${n} has something before its results`];
  for (const id of calls) {
    const count = results.filter((result) => result === id).length;
    if (count !== 1) faults.push(`the call ${id} has ${count} results in message ${n}`);
  }
  for (const id of results) {
    if (!calls.includes(id))
      faults.push(`message ${n} has a result of ${id}, which was not called before it`);
  }
  return faults;
}

/** What is wrong with the body of a request, as it went over the wire. */
export function requestFaults(raw: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(raw);
  } catch (error) {
    return [`a request is no JSON: ${error instanceof Error ? error.message : String(error)}`];
  }
  if (typeof body !== "object" || body === null || !("messages" in body) || !Array.isArray(body.messages))
    return ["a request has no messages"];
  const faults = conversationFaults(body.messages);
  if (body.messages.at(-1)?.role !== "user") faults.push("the last message of a request is not the user's");
  if (!isWellFormed(body)) faults.push("a string of a request has half a character in it");
  return faults;
}

export function blocksOf(message: AnyMessage | undefined): readonly AnyBlock[] {
  if (message === undefined) return [];
  return typeof message.content === "string"
    ? message.content === ""
      ? []
      : [{ type: "text", text: message.content }]
    : message.content;
}

/** All text that messages have, that of results included. */
export function textOf(messages: readonly AnyMessage[]): string {
  return messages.flatMap(blocksOf).map(textOfBlock).join("\n");
}

export function textOfBlock(block: AnyBlock): string {
  if (typeof block["text"] === "string") return block["text"];
  const content = block["content"];
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(textOfBlock).join("\n") : "";
}

function idsOf(blocks: readonly AnyBlock[], type: string, field: string): string[] {
  return blocks.filter((block) => block.type === type).map((block) => String(block[field]));
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}
