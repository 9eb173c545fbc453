import { realpathSync } from "node:fs";
import { processIdentity } from "../journal/process-identity.ts";
import type { Clock } from "../lib/clock.ts";
import { oneAtATime } from "../lib/queues.ts";
import { shorten } from "../lib/text.ts";
import type { CronRequest, TimerService, TimerView, WakeUpRequest } from "../tools/timers/service.ts";
import { type CronTimes, readCron } from "./cron.ts";
import { JobFile, type ScheduledJob } from "./job-file.ts";

const MAX_JOBS = 50;
/** The wall clock can jump and a machine can sleep, so it is checked this often while anything is scheduled. */
const CHECK_MS = 60_000;
const SHOWN_CHARS = 100;
export const CRON_LIFETIME_MS = 7 * 86_400_000;
export const MIN_WAKEUP_SECONDS = 60;
export const MAX_WAKEUP_SECONDS = 3_600;

/** Means the prompt of a loop whose next step the model chooses itself (A15.4). */
const LOOP_SENTINEL = "<<autonomous-loop-dynamic>>";
const LOOP_PROMPT = `This is the next turn of a loop that you run by yourself; the user has not written anything. Check what the last turn did and what has changed since, do the next useful step, and report only new facts. If there is more to do, call ScheduleWakeup with the prompt ${LOOP_SENTINEL} again; if the goal is reached or nothing changes, say so and do not schedule another turn.`;

export interface DuePrompt {
  readonly prompt: string;
  readonly because: string;
}

export interface TimerPorts {
  readonly clock: Clock;
  readonly file: JobFile;
  readonly timeZone?: string;
  newId(): string;
  onDue(): void;
  onWarning(message: string): void;
}

/** Creates the timers of a conversation in a project; `home`: Troupe's own directory. They run after `open`. */
export function openTimers({
  project,
  home,
  ...ports
}: Omit<TimerPorts, "file"> & { readonly project: string; readonly home: string }): Timers {
  const { clock } = ports;
  return new Timers({
    ...ports,
    file: new JobFile({ project: realpathSync(project), home, clock, process: processIdentity(process.pid) }),
  });
}

interface WakeUp extends WakeUpRequest {
  readonly id: string;
  readonly at: number;
}

/** A due prompt waits until it is taken, each job once; missed times count as one (A15). */
export class Timers implements TimerService {
  readonly #ports: TimerPorts;
  #jobs: readonly ScheduledJob[] = [];
  #durable: readonly ScheduledJob[] = [];
  #wakeUp: WakeUp | null = null;
  readonly #due = new Map<string, DuePrompt>();
  #withdraw: (() => void) | null = null;
  #isClosed = false;
  /** Checks and changes run one after the other. */
  readonly #inTurn = oneAtATime();

  constructor(ports: TimerPorts) {
    this.#ports = ports;
  }

  /** Reads the durable jobs; from now on prompts become due. */
  async open(): Promise<void> {
    const { file, onWarning } = this.#ports;
    const { others, problem } = await file.read();
    if (problem !== null) onWarning(problem);
    if (others > 0) onWarning(otherJobsText(file.path, others));
    await this.#check();
  }

  take(): DuePrompt | null {
    const [first] = this.#due;
    if (first === undefined) return null;
    this.#due.delete(first[0]);
    return first[1];
  }

  /** Ends the timers of this session; durable ones stay in their file. Returns how many end. */
  close(): number {
    this.#isClosed = true;
    this.#withdraw?.();
    return this.#jobs.length + (this.#wakeUp === null ? 0 : 1);
  }

  async create({ cron, prompt, recurring, durable }: CronRequest): Promise<TimerView | string> {
    const times = readCron(cron, this.#ports.timeZone);
    if (typeof times === "string") return times;
    const now = this.#now();
    const next = times(now);
    if (next === null) return `${JSON.stringify(cron)} is never due again.`;
    return this.#inTurn(async () => {
      if (this.#jobs.length + this.#durable.length >= MAX_JOBS)
        return `${MAX_JOBS} prompts are scheduled already. Delete one first.`;
      const id = this.#ports.newId();
      const [createdAt, due] = [new Date(now).toISOString(), new Date(next).toISOString()];
      const job: ScheduledJob = { id, cron, prompt, recurring, createdAt, next: due };
      if (durable) {
        const kept = await this.#ports.file.change((jobs) => ({ jobs: [...jobs, job], answer: null }));
        if (typeof kept === "string") return kept;
        this.#durable = [...this.#durable, job];
      } else this.#jobs = [...this.#jobs, job];
      this.#setTimer();
      return viewOf(job, durable);
    });
  }

  list(): ReturnType<TimerService["list"]> {
    return this.#inTurn(async () => {
      const { jobs, others, problem } = await this.#ports.file.read();
      this.#durable = jobs;
      const wakeUp = this.#wakeUp;
      const timers = [
        ...this.#jobs.map((job) => viewOf(job, false)),
        ...jobs.map((job) => viewOf(job, true)),
        ...(wakeUp === null ? [] : [viewOfWakeUp(wakeUp)]),
      ].sort((a, b) => a.next - b.next);
      const notes = [
        ...(problem === null ? [] : [problem]),
        ...(others === 0 ? [] : [otherJobsText(this.#ports.file.path, others)]),
      ];
      return { timers, notes };
    });
  }

  async remove(id: string): Promise<string | null> {
    return this.#inTurn(async () => {
      if (this.#wakeUp?.id === id) this.#wakeUp = null;
      else if (this.#jobs.some((job) => job.id === id))
        this.#jobs = this.#jobs.filter((job) => job.id !== id);
      else {
        const removed = await this.#ports.file.change((jobs) => {
          const left = jobs.filter((job) => job.id !== id);
          return left.length === jobs.length ? { jobs, answer: false } : { jobs: left, answer: true };
        });
        if (typeof removed === "string") return removed;
        if (!removed.answer) return `There is no scheduled prompt ${JSON.stringify(id)}.`;
        this.#durable = this.#durable.filter((job) => job.id !== id);
      }
      this.#due.delete(id);
      this.#setTimer();
      return null;
    });
  }

  wakeUp(request: WakeUpRequest): { readonly timer: TimerView; readonly replaced: boolean } {
    const replaced = this.#wakeUp !== null;
    const delaySeconds = Math.min(Math.max(request.delaySeconds, MIN_WAKEUP_SECONDS), MAX_WAKEUP_SECONDS);
    const id = this.#wakeUp?.id ?? this.#ports.newId();
    const wakeUp = { ...request, id, at: this.#now() + delaySeconds * 1_000 };
    this.#wakeUp = wakeUp;
    this.#setTimer();
    return { timer: viewOfWakeUp(wakeUp), replaced };
  }

  #now(): number {
    return Date.parse(this.#ports.clock.date());
  }

  /** Sets one timer for the earliest of all. `atLeast`: milliseconds to wait even if something is due. */
  #setTimer(atLeast = 0): void {
    this.#withdraw?.();
    this.#withdraw = null;
    const times = [...this.#jobs, ...this.#durable].map(({ next }) => Date.parse(next));
    if (this.#wakeUp !== null) times.push(this.#wakeUp.at);
    if (this.#isClosed || times.length === 0) return;
    const wait = Math.min(...times) - this.#now();
    const ms = Math.min(Math.max(wait, atLeast), CHECK_MS);
    this.#withdraw = this.#ports.clock.after(ms, () => void this.#check());
  }

  #check(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isClosed) return;
      const now = this.#now();
      this.#durable = (await this.#ports.file.read()).jobs;
      const own = this.#advance(this.#jobs, now);
      this.#jobs = own.left;
      this.#start(own.due);
      const claimed = !this.#durable.some((job) => isDue(job, now)) || (await this.#claim(now));
      if (this.#wakeUp !== null && now >= this.#wakeUp.at) {
        const { id, prompt, reason } = this.#wakeUp;
        this.#wakeUp = null;
        this.#enqueue(id, prompt, `a wake-up (${reason})`);
      }
      this.#setTimer(claimed ? 0 : CHECK_MS);
      if (this.#due.size > 0) this.#ports.onDue();
    });
  }

  /** Takes the durable jobs that are due: the session that writes first gets them. False if the file was not written. */
  async #claim(now: number): Promise<boolean> {
    const claimed = await this.#ports.file.change((jobs) => {
      const answer = this.#advance(jobs, now);
      return { jobs: answer.due.length === 0 ? jobs : answer.left, answer };
    });
    if (typeof claimed === "string") {
      this.#ports.onWarning(`A scheduled prompt waits. ${claimed}`);
      return false;
    }
    this.#durable = claimed.answer.left;
    this.#start(claimed.answer.due);
    return true;
  }

  /** Returns the jobs that are due, and all that remain, with their next times. */
  #advance(jobs: readonly ScheduledJob[], now: number): { due: ScheduledJob[]; left: ScheduledJob[] } {
    const left = jobs.flatMap((job) => {
      const next = isDue(job, now) ? this.#nextOf(job, now) : job.next;
      return next === null ? [] : [{ ...job, next }];
    });
    return { due: jobs.filter((job) => isDue(job, now)), left };
  }

  #start(due: readonly ScheduledJob[]): void {
    for (const job of due)
      if (hasExpired(job))
        this.#ports.onWarning(`The scheduled prompt ${job.id} (${job.cron}) ended after seven days.`);
      else this.#enqueue(job.id, job.prompt, `a scheduled prompt (${job.cron})`);
  }

  #nextOf(job: ScheduledJob, now: number): string | null {
    const times: CronTimes | string = readCron(job.cron, this.#ports.timeZone);
    if (!job.recurring || typeof times === "string" || hasExpired(job)) return null;
    const next = times(now);
    return next === null ? null : new Date(next).toISOString();
  }

  #enqueue(id: string, prompt: string, because: string): void {
    const [line = ""] = prompt.trim().split("\n");
    const text = shorten(line, SHOWN_CHARS);
    const isLoop = prompt.trim() === LOOP_SENTINEL;
    this.#due.set(id, {
      prompt: isLoop ? LOOP_PROMPT : prompt,
      because: isLoop ? because : `${because}: ${text}`,
    });
  }
}

/** True if a recurring job has reached its end (A15.1). */
function hasExpired({ recurring, createdAt, next }: ScheduledJob): boolean {
  return recurring && Date.parse(next) >= Date.parse(createdAt) + CRON_LIFETIME_MS;
}

function isDue({ next }: ScheduledJob, now: number): boolean {
  return now >= Date.parse(next);
}

function viewOf({ id, cron, prompt, recurring, next }: ScheduledJob, durable: boolean): TimerView {
  return { id, cron, prompt, recurring, durable, next: Date.parse(next) };
}

function viewOfWakeUp({ id, prompt, at }: WakeUp): TimerView {
  return { id, cron: null, prompt, recurring: false, durable: false, next: at };
}

function otherJobsText(path: string, count: number): string {
  const what = count === 1 ? "One scheduled prompt" : `${count} scheduled prompts`;
  return `${what} in ${path} did not come from a session of yours here, so ${count === 1 ? "it does" : "they do"} not run. Schedule what you want again, or remove it from the file.`;
}

/** Says that the scheduled prompts of a closed session are gone. */
export function timersEnded(count: number): string {
  return count === 1
    ? "One scheduled prompt ended with this session."
    : `${count} scheduled prompts ended with this session.`;
}
