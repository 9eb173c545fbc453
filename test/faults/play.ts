import type { RequestBody, ServedCall, ServedReply } from "../support/messages-server.ts";
import { type AnyMessage, blocksOf, textOfBlock } from "./checks/conversation.ts";
import { effectCommand } from "./checks/effects.ts";

/** What one actor of a play does: its calls, reply by reply, and then what it reports. */
export interface Part {
  readonly stages: readonly Stage[];
  readonly report: string;
}

/** The calls of one reply; some follow from what the conversation says. */
export type Stage = readonly (ServedCall | ((messages: readonly AnyMessage[]) => ServedCall))[];

export type Play = ReadonlyMap<string, Part>;

/** In the prompt of every actor, so that its part is known from its conversation alone. */
export function cue(name: string): string {
  return `[[part ${name}]]`;
}

const CUE = /\[\[part (\S+)\]\]/g;

/**
 * The next reply of a conversation. Nothing is kept between two requests, so whoever is asked again after a crash
 * says the same again, under new ids, as a model would.
 */
export function nextReply(play: Play, body: RequestBody, ids: () => string): ServedReply & { part: string } {
  const { name, at } = partIn(body.messages);
  const part = play.get(name);
  if (!part) return { part: name, text: `There is no part ${name}.` };
  const since = body.messages.slice(at);
  const results = since.flatMap(blocksOf).filter(({ type }) => type === "tool_result").length;
  const told = blocksOf(since.at(-1)).map(textOfBlock).join("\n").includes("<task-notification>");
  let due = 0;
  for (const [n, calls] of part.stages.entries()) {
    if (due >= results)
      return {
        part: name,
        text: `${name} begins stage ${n}.`,
        calls: calls.map((call, place) => ({
          ...(typeof call === "function" ? call(body.messages) : call),
          id: `toolu_${name}_${n}_${place}_${ids()}`,
        })),
      };
    due += calls.length;
  }
  const answered = since.some(
    (message) =>
      message.role === "assistant" && blocksOf(message).map(textOfBlock).join("").includes(part.report),
  );
  return { part: name, text: answered && told ? `${name} has heard of it.` : part.report };
}

/** The last cue that somebody said, not a tool: a fork's comes after all of its parent's. */
export function partIn(messages: readonly AnyMessage[]): { readonly name: string; readonly at: number } {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role !== "user") continue;
    const said = blocksOf(message).filter(({ type }) => type === "text");
    const name = [...said.map(textOfBlock).join("\n").matchAll(CUE)].at(-1)?.[1];
    // What stands in the message of the cue itself are results for somebody else.
    if (name !== undefined) return { name, at: at + 1 };
  }
  return { name: "nobody", at: 0 };
}

/** So many replies with one or two commands that leave their tokens in the log, by turns. */
export function working(name: string, steps: number, log: string): ServedCall[][] {
  return Array.from({ length: steps }, (_, step) => {
    const slow = step % 3 === 2 ? "sleep 0.03; " : "";
    const first = bash(effectCommand(`${name}.${step}`, log, slow));
    return step % 2 === 0 ? [first] : [first, bash(effectCommand(`${name}.${step}.b`, log))];
  });
}

export function bash(command: string): ServedCall {
  return { name: "Bash", input: { command, description: "leaves its token" } };
}

export function agent(name: string, more: object = {}): ServedCall {
  const input = {
    description: `part ${name}`,
    prompt: `${cue(name)} Do it.`,
    subagent_type: "worker",
    ...more,
  };
  return { name: "Agent", input };
}

/** Whoever played this part goes on with another one. */
export function resumed(
  name: string,
  as: string,
  more: object = {},
): (messages: readonly AnyMessage[]) => ServedCall {
  return (messages) =>
    agent(as, { prompt: `${cue(as)} Do that as well.`, resume: agentOf(name, messages), ...more });
}

/** By the frame of its report in the conversation of who waited for it. */
export function agentOf(name: string, messages: readonly AnyMessage[]): string {
  const blocks = messages.flatMap(blocksOf);
  const call = blocks.find(({ type, input }) => type === "tool_use" && isFor(input, name))?.["id"];
  const result = blocks.find((block) => block["tool_use_id"] === call);
  return /^\[Agent (\w+) /.exec(result ? textOfBlock(result) : "")?.[1] ?? "nobody";
}

function isFor(input: unknown, name: string): boolean {
  return (
    typeof input === "object" &&
    input !== null &&
    "description" in input &&
    input.description === `part ${name}`
  );
}

/** The report of a part: a text that stands nowhere else, of characters of one to four bytes. */
export function reportOf(name: string): string {
  return `Report <${name}>: é€😀.`;
}

/** The agents of `eight`, by who is to have their result, and how. */
export const OWNERS: readonly { readonly name: string; readonly owner: string; readonly told: boolean }[] = [
  { name: "b1", owner: "main", told: true },
  { name: "b2", owner: "main", told: true },
  { name: "k1", owner: "main", told: true },
  { name: "f1", owner: "main", told: false },
  { name: "f2", owner: "main", told: false },
  { name: "n1", owner: "main", told: false },
  { name: "f1.again", owner: "main", told: false },
  { name: "f2.again", owner: "main", told: true },
  { name: "c1", owner: "n1", told: false },
  { name: "c2", owner: "n1", told: true },
];

/**
 * A session with eight agents: two in the background, a fork, three that are waited for, and two below one of those,
 * one of them in the background. Two of those that have ended go on with another task, one of them in the background.
 */
export function eight(steps: number, log: string): Play {
  const work = (name: string) => working(name, steps, log);
  const plain = ["b1", "b2", "k1", "f1", "f2", "c1", "c2", "f1.again", "f2.again"].map(
    (name): [string, Part] => [name, { stages: work(name), report: reportOf(name) }],
  );
  const later = { run_in_background: true };
  return new Map<string, Part>([
    ...plain,
    ["n1", { stages: [...working("n1", 1, log), [agent("c2", later), agent("c1")]], report: reportOf("n1") }],
    [
      "main",
      {
        stages: [
          ...working("main", 1, log),
          [agent("b1", later), agent("b2", later), agent("k1", { subagent_type: "fork" })],
          [agent("f1"), agent("f2"), agent("n1")],
          [resumed("f2", "f2.again", later), resumed("f1", "f1.again")],
          ...working("main.last", 2, log),
        ],
        report: reportOf("main"),
      },
    ],
  ]);
}
