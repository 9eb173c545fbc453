import { randomBytes } from "node:crypto";
import { link, lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { slugOf } from "../journal/paths.ts";
import type { ProcessIdentity } from "../journal/process-identity.ts";
import { lockSession } from "../journal/session-lock.ts";
import { errorMessage } from "../lib/errors.ts";
import { type Clock, pause } from "../mailbox/clock.ts";
import { parsedJson } from "../settings/json.ts";
import { readBounded } from "../settings/read-bounded.ts";
import { replaceFile } from "../settings/replace-file.ts";
import { type Job, SealedJob, sealOf } from "./job.ts";

/** Where a project's durable jobs are. */
export const JOB_FILE = ".claude/scheduled_tasks.json";

const MAX_BYTES = 1_000_000;
const KEY_BYTES = 32;
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 20;

export interface JobFilePorts {
  /** The project's directory. */
  readonly project: string;
  /** Troupe's own directory, with the key of the seals. */
  readonly home: string;
  readonly process: ProcessIdentity;
  readonly clock: Clock;
}

export interface FileContent {
  /** Jobs that sessions of this user made in this project, in the order of the file. */
  readonly jobs: readonly Job[];
  /** How many others are in the file; these are kept and never run. */
  readonly others: number;
  /** Why the file cannot be read, as a sentence. */
  readonly problem: string | null;
}

/** What a change makes of the jobs, and its answer. */
export interface Changed<T> {
  readonly jobs: readonly Job[];
  readonly answer: T;
}

/**
 * The durable jobs of a project (A15.2): a file that all its sessions share. A change reads, decides and writes under one
 * lock, so two sessions never run the same job twice. A job without the seal of this user may come from whoever wrote
 * the repository, so it is never run.
 */
export class JobFile {
  readonly path: string;
  readonly #ports: JobFilePorts;
  #stamp = "";
  #known: FileContent = NO_CONTENT;

  constructor(ports: JobFilePorts) {
    this.#ports = ports;
    this.path = join(ports.project, JOB_FILE);
  }

  /** Reads the file if it has changed. One that cannot be read counts as empty. */
  async read(): Promise<FileContent> {
    const stat = await lstat(this.path).catch(() => null);
    const stamp = stat === null ? "" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (stamp === this.#stamp) return this.#known;
    this.#known = await this.#load().then(
      ({ ours, others }) => ({ jobs: ours, others: others.length, problem: null }),
      (error: Error) => ({ ...NO_CONTENT, problem: `${this.path} was not read: ${error.message}` }),
    );
    this.#stamp = stamp;
    return this.#known;
  }

  /** Resolves to the change's answer, or to a sentence if the file could not be changed; then nothing was written. */
  async change<T>(decide: (jobs: readonly Job[]) => Changed<T>): Promise<{ readonly answer: T } | string> {
    const lock = await this.#lock();
    if (typeof lock === "string") return lock;
    try {
      const key = await this.#key();
      const { ours, others } = await this.#load();
      const { jobs, answer } = decide(ours);
      if (jobs === ours) return { answer };
      const { project } = this.#ports;
      const sealed = jobs.map((job) => ({ ...job, seal: sealOf(job, project, key) }));
      const text = `${JSON.stringify({ tasks: [...others, ...sealed] }, null, 2)}\n`;
      if (Buffer.byteLength(text) > MAX_BYTES)
        return `${this.path} would be larger than 1 MB. Delete scheduled prompts first.`;
      return (await replaceFile(this.path, text, 0o600)) ?? { answer };
    } catch (error) {
      return `${this.path} was not changed: ${errorMessage(error)}`;
    } finally {
      lock.release();
    }
  }

  async #load(): Promise<{ readonly ours: readonly Job[]; readonly others: readonly unknown[] }> {
    const read = readBounded(this.path);
    if (read.type === "absent") return { ours: [], others: [] };
    if (read.type === "unreadable") throw new Error(`it ${read.problem}.`);
    const { tasks } = parseTasks(read.text);
    const key = await this.#key();
    const ours: Job[] = [];
    const others: unknown[] = [];
    for (const task of tasks) {
      const { data } = z.safeParse(SealedJob, task);
      if (data === undefined || data.seal !== sealOf(data, this.#ports.project, key)) others.push(task);
      else {
        const { seal: _, ...job } = data;
        ours.push(job);
      }
    }
    return { ours, others };
  }

  async #lock() {
    const { project, home, process, clock } = this.#ports;
    const place = { home, folder: join(home, "timers", slugOf(project)) };
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      const lock = lockSession(place, process);
      if (lock.type === "locked") return lock;
      await pause(clock, LOCK_PAUSE_MS);
    }
    return `${this.path} was not changed: another session has held its lock for seconds. Try again.`;
  }

  /** Made once for each user; only processes of this user can read it. */
  async #key(): Promise<Buffer> {
    const folder = join(this.#ports.home, "timers");
    const path = join(folder, "key");
    const known = await readFile(path).catch(() => null);
    if (known === null) {
      const whole = join(folder, `key-${randomBytes(8).toString("hex")}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(whole, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
      // Of several processes the first one makes the key.
      await link(whole, path).catch(() => {});
      await rm(whole);
    }
    const key = known ?? (await readFile(path));
    if (key.length !== KEY_BYTES)
      throw new Error(`${path} is damaged. Remove it; scheduled prompts end then.`);
    return key;
  }
}

const NO_CONTENT: FileContent = { jobs: [], others: 0, problem: null };

const Tasks = z.object({ tasks: z.array(z.unknown()) });

function parseTasks(text: string): z.infer<typeof Tasks> {
  const { data } = z.safeParse(Tasks, parsedJson(text));
  if (data === undefined) throw new Error(`it is not JSON of the form {"tasks": [...]}.`);
  return data;
}
