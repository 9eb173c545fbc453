import { randomUUID } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { errorCode } from "../../lib/errors.ts";
import { FileDiff } from "../../lib/file-diff.ts";
import { readRegularFile, replaceCache } from "../../lib/files.ts";
import { parseJson } from "../../lib/json.ts";
import { listNames } from "../../lib/on-disk.ts";
import { ActorId } from "../../mailbox/ids.ts";
import { ModelPause } from "../../mailbox/model.ts";
import { readAnswer } from "../../policy/asking/questions.ts";
import type { UserAnswer } from "../../policy/user-requests.ts";

const asker = z.object({ actor: z.exactOptional(ActorId), path: z.array(z.string()) });
const choice = z.object({ label: z.string(), description: z.string() });

/** What a session waits for, as another process reads it: the parts that it shows. */
export const WaitingFile = z.lazy(() =>
  z.object({
    id: z.string(),
    /** ISO 8601. */
    since: z.string(),
    request: z.discriminatedUnion("type", [
      z.object({
        ...{ type: z.literal("permission"), askers: z.array(asker), tool: z.string(), title: z.string() },
        ...{ reason: z.string(), description: z.optional(z.string()), grants: z.array(z.string()) },
        details: z.array(z.object({ name: z.string(), value: z.string() })),
        diff: z.exactOptional(FileDiff),
      }),
      z.object({
        ...{ type: z.literal("question"), askers: z.array(asker) },
        questions: z.array(
          z.object({
            ...{
              question: z.string(),
              header: z.string(),
              options: z.array(choice),
              multiSelect: z.boolean(),
            },
            yesOrNo: z.exactOptional(z.literal(true)),
          }),
        ),
      }),
      z.object({
        ...{ type: z.literal("plan"), askers: z.array(asker), plan: z.string(), file: z.string() },
        allows: z.array(z.object({ prompt: z.string() })),
      }),
      z.object({ type: z.literal("paused"), pause: ModelPause }),
    ]),
  }),
);
export type WaitingFile = z.infer<typeof WaitingFile>;

const MOST_BYTES = 4 * 1024 * 1024;

/** Where a session's folder has them. */
export function waitingFolder(folder: string): string {
  return join(folder, "waiting");
}

const waitingPath = (folder: string, id: string) => join(waitingFolder(folder), `${id}.json`);
const answerPath = (folder: string, id: string) => join(waitingFolder(folder), `${id}.answer`);
/** The answer that counts, which the process that left it removes. */
const takenPath = (folder: string, id: string) => join(waitingFolder(folder), `${id}.taken`);

/** Returns the requests in a session's folder that can be read, the oldest first. */
export function readWaiting(folder: string): readonly WaitingFile[] {
  return listNames(waitingFolder(folder))
    .flatMap((name) => {
      const [, id] = /^(\w+)\.json$/.exec(name) ?? [];
      const read = id === undefined ? null : readRegularFile(waitingPath(folder, id), MOST_BYTES);
      const parsed = read?.type === "read" ? WaitingFile.safeParse(parseJson(read.bytes.toString())) : null;
      return parsed?.success ? [parsed.data] : [];
    })
    .sort((a, b) => (a.since < b.since ? -1 : 1));
}

/** A failure to write is ignored: the request is still asked where the session runs. */
export function writeWaiting(folder: string, text: string, id: string): void {
  replaceCache(waitingPath(folder, id), text);
}

export function removeWaiting(folder: string, id: string): void {
  for (const path of [waitingPath(folder, id), answerPath(folder, id)]) rmSync(path, { force: true });
}

export function clearWaiting(folder: string): void {
  rmSync(waitingFolder(folder), { recursive: true, force: true });
}

/** An answer for a session. */
export interface LeftAnswer {
  /** `missed`: the request ended otherwise, such as by another answer. */
  outcome(): "waits" | "taken" | "missed";
  /** Its end was seen, or is not waited for any longer. */
  close(): void;
}

/** Leaves an answer for the session that asked; null if there is an answer already. */
export function leaveAnswer(folder: string, id: string, answer: UserAnswer): LeftAnswer | null {
  const path = answerPath(folder, id);
  const taken = takenPath(folder, id);
  const own = `${path}.${randomUUID()}`;
  replaceCache(own, JSON.stringify(answer));
  const drop = (name: string) => {
    if (isSameFile(name, own)) rmSync(name, { force: true });
  };
  try {
    // The first link counts.
    linkSync(own, path);
  } catch (error) {
    rmSync(own, { force: true });
    if (errorCode(error) === "EEXIST") return null;
    throw error;
  }
  const outcome = () => {
    if (existsSync(waitingPath(folder, id))) return "waits";
    return isSameFile(taken, own) ? "taken" : "missed";
  };
  return {
    outcome,
    close() {
      const isOver = outcome() !== "waits";
      for (const name of isOver ? [path, taken] : []) drop(name);
      rmSync(own, { force: true });
    },
  };
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => readRegularFile(path, MOST_BYTES));
  return a?.type === "read" && b?.type === "read" && a.identity === b.identity;
}

/** Takes the answers to open requests that have come, by their ID; others are removed. */
export function takeAnswers(
  folder: string,
  isOpen: (id: string) => boolean,
): ReadonlyMap<string, UserAnswer> {
  const answers = new Map<string, UserAnswer>();
  for (const name of listNames(waitingFolder(folder))) {
    const [, id] = /^(\w+)\.answer$/.exec(name) ?? [];
    if (id === undefined) continue;
    const path = answerPath(folder, id);
    const read = readRegularFile(path, MOST_BYTES);
    const answer = read.type === "read" ? readAnswer(parseJson(read.bytes.toString())) : null;
    // Text that cannot be read as an answer must not count as a no.
    if (answer !== null && answer.type !== "unavailable" && isOpen(id)) {
      renameSync(path, takenPath(folder, id));
      answers.set(id, answer);
    } else rmSync(path, { force: true });
  }
  return answers;
}
