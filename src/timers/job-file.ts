import { createHmac, randomBytes } from "node:crypto";
import { link, lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { slugOf } from "../journal/paths.ts";
import type { ProcessIdentity } from "../journal/process-identity.ts";
import { lockSession } from "../journal/session-lock.ts";
import { type Clock, pause } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { readRegularFile, replaceFile } from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";

/** The file of a project's durable jobs. */
export const JOB_FILE = ".claude/scheduled_tasks.json";

const MAX_BYTES = 1_000_000;
const KEY_BYTES = 32;
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 20;

/** A prompt that is due at the times of a cron expression. Times are ISO 8601. */
const ScheduledJob = z.object({
  id: z.string(),
  cron: z.string(),
  prompt: z.string(),
  recurring: z.boolean(),
  createdAt: z.string(),
  next: z.string(),
});
export type ScheduledJob = z.infer<typeof ScheduledJob>;

/** The seal shows that a session of this user wrote the job. */
const SealedJob = z.extend(ScheduledJob, { seal: z.string() });
const Tasks = z.object({ tasks: z.array(z.unknown()) });

export interface JobFilePorts {
  readonly project: string;
  /** Troupe's own directory, with the key of the seals. */
  readonly home: string;
  readonly process: ProcessIdentity;
  readonly clock: Clock;
}

export interface FileContent {
  /** Jobs of this user's sessions in this project, in the order of the file. */
  readonly jobs: readonly ScheduledJob[];
  /** The number of other jobs, which stay in the file and never run. */
  readonly others: number;
  readonly problem: string | null;
}

export interface JobChange<T> {
  readonly jobs: readonly ScheduledJob[];
  readonly answer: T;
}

const NO_CONTENT: FileContent = { jobs: [], others: 0, problem: null };

/**
 * The durable jobs of a project (A15.2): a file that all its sessions share. A change reads, decides and writes under one
 * lock, so two sessions never run the same job twice. A job without the seal of this user may come from the author of
 * the repository, so it never runs.
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

  /** Reads the file if it has changed. An unreadable file counts as empty. */
  async read(): Promise<FileContent> {
    const stat = await lstat(this.path).catch(() => null);
    const stamp = stat === null ? "" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (stamp === this.#stamp) return this.#known;
    this.#known = await this.#load().then(
      ({ jobs, others }) => ({ jobs, others: others.length, problem: null }),
      (error: Error) => ({ ...NO_CONTENT, problem: `${this.path} was not read: ${error.message}` }),
    );
    this.#stamp = stamp;
    return this.#known;
  }

  /** Resolves to the change's answer, or to a sentence if the file could not be changed; then nothing was written. */
  async change<T>(
    decide: (jobs: readonly ScheduledJob[]) => JobChange<T>,
  ): Promise<{ readonly answer: T } | string> {
    const lock = await this.#lock();
    if (lock === null)
      return `${this.path} was not changed: another session has held its lock for seconds. Try again.`;
    try {
      const key = await this.#key();
      const { jobs: before, others } = await this.#load();
      const { jobs, answer } = decide(before);
      if (jobs === before) return { answer };
      const sealed = jobs.map((job) => ({ ...job, seal: this.#seal(job, key) }));
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

  async #load(): Promise<{ readonly jobs: readonly ScheduledJob[]; readonly others: readonly unknown[] }> {
    const read = readRegularFile(this.path);
    if (read.type === "absent") return { jobs: [], others: [] };
    if (read.type === "unreadable") throw new Error(`it ${read.problem}.`);
    const { data } = z.safeParse(Tasks, parseJson(read.bytes.toString()));
    if (data === undefined) throw new Error('it is not JSON of the form {"tasks": [...]}.');
    const key = await this.#key();
    const jobs: ScheduledJob[] = [];
    const others: unknown[] = [];
    for (const task of data.tasks) {
      const sealed = z.safeParse(SealedJob, task).data;
      if (sealed === undefined || sealed.seal !== this.#seal(sealed, key)) others.push(task);
      else jobs.push(z.parse(ScheduledJob, sealed));
    }
    return { jobs, others };
  }

  /** What a model gets depends on these fields, so a change of them breaks the seal. */
  #seal({ id, cron, prompt, recurring, createdAt }: ScheduledJob, key: Buffer): string {
    const text = JSON.stringify([this.#ports.project, id, cron, prompt, recurring, createdAt]);
    return createHmac("sha256", key).update(text).digest("hex").slice(0, 32);
  }

  async #lock() {
    const { project, home, process, clock } = this.#ports;
    const place = { home, folder: join(home, "timers", slugOf(project)) };
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      const lock = lockSession(place, process);
      if (lock.type === "locked") return lock;
      await pause(clock, LOCK_PAUSE_MS);
    }
    return null;
  }

  /** Created once for each user; only processes of this user can read it. */
  async #key(): Promise<Buffer> {
    const dir = join(this.#ports.home, "timers");
    const path = join(dir, "key");
    const known = await readFile(path).catch(() => null);
    if (known === null) {
      const whole = join(dir, `key-${randomBytes(8).toString("hex")}`);
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFile(whole, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" });
      // The first of several processes creates the key.
      await link(whole, path).catch(() => {});
      await rm(whole);
    }
    const key = known ?? (await readFile(path));
    if (key.length !== KEY_BYTES)
      throw new Error(`${path} is damaged. Remove it; scheduled prompts end then.`);
    return key;
  }
}
