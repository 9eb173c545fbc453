import { join } from "node:path";
import type { RequestBody, ServedCall, ServedReply } from "../../support/messages-server.ts";
import { type AnyMessage, blocksOf, textOf, textOfBlock } from "../checks/conversation.ts";
import { effectCommand } from "../checks/effects.ts";
import { agent, agentOf, bash, cue, partIn, reportOf } from "../play.ts";

/** One call of a reply, and by which text in which file a model that looks later finds that it has been made. */
export interface Step {
  readonly call: ServedCall | ((messages: readonly AnyMessage[]) => ServedCall);
  readonly proof?: { readonly file: string; readonly text: string };
}

/** What an actor does, reply by reply. */
export type Stages = readonly (readonly Step[])[];

/** Lines that agents put into files of the repository: each must be there once, at the end. */
export interface Written {
  readonly part: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly line: string;
}

export interface CliPlay {
  readonly parts: ReadonlyMap<string, Stages>;
  readonly written: readonly Written[];
}

export const AGENTS = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"] as const;
/** One that goes on with another task when its first edits are merged. */
const AGAIN = "a2.again";
/** All runs of agents. */
export const RUNS: readonly string[] = [...AGENTS, AGAIN];

/** A file that all agents and the user write to. */
export const SHARED = "shared.txt";
/** One that some agents write to at the same place, so that all but the first have a conflict to settle. */
export const CONTESTED = "contested.txt";
const CONTESTING: readonly string[] = ["a1", "a3", "b2"];
/** Read now and then, so that conversations outgrow their windows. */
export const LONG = "long.txt";

/** As it is in the first commit: a place for each agent, far enough from the next that merges do not meet. */
export function sharedFile(): string {
  return `${AGENTS.map((name) => `${name}:\n${"-\n".repeat(5)}`).join("")}end\n`;
}

export function contestedFile(): string {
  return "top\nend\n";
}

/**
 * A main conversation that starts eight agents with worktrees, four of them in the background, and reads meanwhile. Each
 * agent writes a file, inserts lines into it and into a file that all share, and leaves tokens through Bash.
 */
export function cliPlay(steps: number, log: string, repository: string): CliPlay {
  const written: Written[] = [];
  const parts = new Map<string, Stages>();
  for (const name of RUNS) parts.set(name, agentStages(name, steps, log, written));
  const apart = { subagent_type: "general-purpose", isolation: "worktree" };
  const later = { ...apart, run_in_background: true };
  const reading = (): readonly Step[] => [
    { call: { name: "Read", input: { file_path: join(repository, LONG) } } },
  ];
  const spawned = (names: readonly string[], more: object) =>
    names.map((name) => ({ call: agent(name, more) }));
  parts.set("main", [
    [token("main.0", log)],
    spawned(["b1", "b2", "b3", "b4"], later),
    reading(),
    reading(),
    spawned(["a1", "a2", "a3", "a4"], apart),
    reading(),
    [{ call: goesOn }],
    [token("main.1", log)],
  ]);
  return { parts, written };
}

function goesOn(messages: readonly AnyMessage[]): ServedCall {
  const more = { prompt: `${cue(AGAIN)} Do that as well.`, resume: idOf("a2", messages) };
  return agent(AGAIN, { subagent_type: "general-purpose", ...more });
}

const NOBODY = "nobody";
const KNOWN = /\[\[agent (\S+) is (\S+)\]\]/g;

/** From the frame of its report, or from the notes that were made of it. */
function idOf(name: string, messages: readonly AnyMessage[]): string {
  const notes = [...textOf(messages).matchAll(KNOWN)].find(([, who, id]) => who === name && id !== NOBODY);
  return notes?.[2] ?? agentOf(name, messages);
}

function agentStages(name: string, steps: number, log: string, written: Written[]): Stages {
  const [who = name] = name.split(".");
  const own = `own/${name}.txt`;
  const note = (file: string, line: string) => {
    written.push({ part: name, file, line });
    return { file, text: line };
  };
  const first = `${name} begins`;
  const stages: Step[][] = [
    [
      {
        call: { name: "Write", input: { file_path: own, content: `top of ${name}\n${first}\n` } },
        proof: note(own, first),
      },
    ],
  ];
  if (CONTESTING.includes(name)) {
    const line = `${name} contests`;
    const input = { file_path: CONTESTED, old_string: "top\n", new_string: `top\n${line}\n` };
    stages.push([read(CONTESTED)], [{ call: { name: "Edit", input }, proof: note(CONTESTED, line) }]);
  }
  for (let n = 0; n < steps; n += 1) {
    const line = `${name} inserts ${n}`;
    const into = (file: string, after: string, text: string): Step => ({
      call: {
        name: "Edit",
        input: { file_path: file, old_string: `${after}\n`, new_string: `${after}\n${text}\n` },
      },
      proof: note(file, text),
    });
    stages.push([into(own, `top of ${name}`, line)]);
    if (n % 3 === 0) stages.push([token(`${name}.${n}`, log), read(LONG)]);
    if (n % 3 === 1) stages.push([read(SHARED)], [into(SHARED, `${who}:`, `${name} shares ${n}`)]);
    if (n % 3 === 2) {
      const more = `own/${name}-${n}.txt`;
      const text = `${name} adds ${n}`;
      const content = `${text}\n${"it is long\n".repeat(20)}`;
      stages.push([
        { call: { name: "Write", input: { file_path: more, content } }, proof: note(more, text) },
        token(`${name}.${n}`, log),
      ]);
    }
  }
  return stages;
}

export function token(name: string, log: string): Step {
  return { call: bash(effectCommand(name, log, "sleep 0.02; ")) };
}

export function read(file: string): Step {
  return { call: { name: "Read", input: { file_path: file } } };
}

/** Where a conversation stands, as it is said in its own words: `[[stage NAME 3 again]]`. */
const STAGE = /\[\[stage (\S+) (\d+)(?: (look|again))?\]\]/g;
const NOTES = "Write under these headings";
/** As a conversation says it where its agent works. */
const ROOT = /^Working directory: (.+)$/m;

/**
 * The next reply of a conversation, from what it says alone: who is asked again after a kill does the same again, under new
 * ids. A model that is not told that an edit was made looks at the file, and repeats the edit only if it is not there.
 */
export function nextCliReply({ parts }: Pick<CliPlay, "parts">, body: RequestBody, id: string): ServedReply {
  const { name } = partIn(body.messages);
  const stages = parts.get(name);
  if (!stages) return { text: `There is no part ${name}.` };
  const due = dueIn(name, stages, body.messages);
  if (blocksOf(body.messages.at(-1)).map(textOfBlock).join("\n").includes(NOTES))
    return { text: `Notes: ${marker(name, due)} [[agent a2 is ${idOf("a2", body.messages)}]]` };
  const { stage, calls, phase } = due;
  const settling = settlingOf(body.messages);
  if (settling !== null) {
    if (settling === "settled") return { text: reportOf(name) };
    const call = placed(settling, rootIn(body));
    return {
      text: `${name} settles.`,
      calls: [{ ...call, id: `toolu_${name.replace(".", "_")}_settle_${id}` }],
    };
  }
  if (calls.length === 0 && stage >= stages.length) {
    const said = body.messages.some(
      ({ role, content }) => role === "assistant" && JSON.stringify(content).includes(reportOf(name)),
    );
    return { text: said ? `${name} has heard of it.` : reportOf(name) };
  }
  const root = rootIn(body);
  return {
    text: marker(name, due),
    calls: calls.map((call, place) => ({
      ...placed(call, root),
      id: `toolu_${name.replace(".", "_")}_${stage}_${phase}_${place}_${id}`,
    })),
  };
}

/** The next call of who was told of a conflict: it looks at the file, and leaves both sides without the marks. */
function settlingOf(messages: readonly AnyMessage[]): ServedCall | "settled" | null {
  const told = messages.findLastIndex(
    (message) =>
      message.role === "user" &&
      blocksOf(message).some((block) => block.type === "text" && textOfBlock(block).includes(CONFLICT)),
  );
  if (told === -1) return null;
  const since = messages.slice(told);
  const said = since.findLast(({ role, content }) => role === "assistant" && typeof content !== "string");
  const call = blocksOf(said).find(({ type }) => type === "tool_use");
  const result = since.flatMap(blocksOf).find((block) => call && block["tool_use_id"] === call["id"]);
  const look: ServedCall = { name: "Read", input: { file_path: CONTESTED } };
  if (call === undefined) return said === undefined ? look : null;
  if (result === undefined || result["is_error"] === true) return look;
  if (call["name"] !== "Read") return "settled";
  const lines = textOfBlock(result).split("\n");
  const text = lines.flatMap((line) => /^\s*\d+\t(.*)$/.exec(line)?.[1] ?? []);
  const content = `${text.filter((line) => !/^(?:<{7}|={7}|>{7}|\|{7})/.test(line)).join("\n")}\n`;
  return { name: "Write", input: { file_path: CONTESTED, content } };
}

const CONFLICT = "Your edits conflict with changes of the checkout";

type Phase = "first" | "look" | "again";

interface Due {
  readonly stage: number;
  readonly phase: Phase;
  readonly calls: readonly ServedCall[];
}

function marker(name: string, { stage, phase }: Due): string {
  return `[[stage ${name} ${stage}${phase === "first" ? "" : ` ${phase}`}]]`;
}

function dueIn(name: string, stages: Stages, messages: readonly AnyMessage[]): Due {
  const begin = (stage: number): Due => ({
    ...{ stage, phase: "first" },
    calls: (stages[stage] ?? []).map(({ call }) => (typeof call === "function" ? call(messages) : call)),
  });
  const { at, stage, phase } = lastMarker(name, messages);
  const said = messages[at];
  if (said?.role !== "assistant") return begin(stage);
  const steps = stages[stage] ?? [];
  const results = new Map(
    messages
      .slice(at)
      .flatMap(blocksOf)
      .filter(({ type }) => type === "tool_result")
      .map((block) => [block["tool_use_id"], block]),
  );
  const made = blocksOf(said).filter(({ type }) => type === "tool_use");
  const open = steps.filter(({ proof }) => {
    if (!proof) return false;
    const mine = made.find(({ input }) => fileOf(input)?.endsWith(proof.file));
    const result = mine && results.get(mine["id"]);
    if (!result) return false;
    const failed = result["is_error"] === true;
    return phase === "look" ? failed || !textOfBlock(result).includes(proof.text) : failed;
  });
  if (open.length === 0) return begin(stage + 1);
  return phase === "look"
    ? {
        stage,
        phase: "again",
        calls: open.map(({ call }) => (typeof call === "function" ? call(messages) : call)),
      }
    : {
        stage,
        phase: "look",
        calls: open.map(({ proof }) => ({ name: "Read", input: { file_path: proof?.file ?? "" } })),
      };
}

function lastMarker(name: string, messages: readonly AnyMessage[]) {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const said = blocksOf(messages[at])
      .filter(({ type }) => type === "text")
      .map(textOfBlock)
      .join("\n");
    const last = [...said.matchAll(STAGE)].findLast(([, who]) => who === name);
    if (last) return { at, stage: Number(last[2]), phase: last[3] ?? "first" };
  }
  return { at: -1, stage: 0, phase: "first" };
}

function fileOf(input: unknown): string | null {
  return typeof input === "object" && input !== null && "file_path" in input ? String(input.file_path) : null;
}

/** Paths as the tools want them: absolute, in the directory that the agent was told of. */
function placed(call: ServedCall, root: string): ServedCall {
  const file = fileOf(call.input);
  if (file === null || file.startsWith("/")) return call;
  return { ...call, input: { ...(call.input as object), file_path: join(root, file) } };
}

function rootIn({ system = [] }: RequestBody): string {
  const root = ROOT.exec(system.map(({ text }) => text).join("\n"))?.[1];
  if (root === undefined) throw new Error("the request does not say where its agent works");
  return root;
}
