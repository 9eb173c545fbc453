import { onTestFinished } from "vitest";
import {
  type MessagesServer,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
} from "../../support/messages-server.ts";
import { cases } from "./cases.ts";

/** The replies of a conversation, by the name of its case; the last one is said again and again. */
export type Replies = Readonly<Record<string, readonly ServedReply[]>>;

export const load = (skill: string): ServedReply => ({ calls: [{ name: "Skill", input: { skill } }] });
export const read = (path: string): ServedReply => ({
  calls: [{ name: "Read", input: { file_path: path } }],
});
export const answer: ServedReply = { text: "Here it is." };

/** A model that keeps the rule in every case but those whose replies are given. */
export async function modelThat(replies: Replies): Promise<MessagesServer> {
  const server = await startMessagesServer((request) => {
    const { name, skill } = caseOf(request);
    const own = replies[name] ?? (skill === null ? [answer] : [load(skill), answer]);
    const taken = request.body.messages.filter(({ role }) => role === "assistant").length;
    return own[Math.min(taken, own.length - 1)] ?? answer;
  });
  onTestFinished(() => server.close());
  return server;
}

function caseOf({ body }: RecordedRequest) {
  const told = JSON.stringify(body.messages[0]);
  const asked = cases.find(({ prompt }) => told.includes(JSON.stringify(prompt).slice(1, -1)));
  if (!asked) throw new Error(`no case asks this: ${told}`);
  return asked;
}
