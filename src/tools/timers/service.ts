import { oneLine, shorten } from "../../lib/text.ts";
export interface TimerView {
  readonly id: string;
  /** Null: a wake-up, which is due once. */
  readonly cron: string | null;
  readonly prompt: string;
  readonly recurring: boolean;
  /** It is in a file, and survives the end of the program. */
  readonly durable: boolean;
  /** When it is due next, in milliseconds since 1970. */
  readonly next: number;
}

export interface CronRequest {
  readonly cron: string;
  readonly prompt: string;
  readonly recurring: boolean;
  readonly durable: boolean;
}

export interface WakeUpRequest {
  readonly delaySeconds: number;
  readonly reason: string;
  readonly prompt: string;
}

/** The scheduled prompts of a conversation. A string says why something is not possible. */
export interface TimerService {
  create(request: CronRequest): Promise<TimerView | string>;
  /** In the order in which they are due. `notes`: what else a reader of the list must know, as sentences. */
  list(): Promise<{ readonly timers: readonly TimerView[]; readonly notes: readonly string[] }>;
  /** Resolves to null if it was deleted. */
  remove(id: string): Promise<string | null>;
  wakeUp(request: WakeUpRequest): { readonly timer: TimerView; readonly replaced: boolean };
}

/** A time as people read it, in the zone of the system. */
export function formatTime(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const PROMPT_CHARS = 200;

export function formatTimer({ id, cron, prompt, recurring, durable, next }: TimerView): string {
  const text = shorten(oneLine(prompt), PROMPT_CHARS);
  const kind = cron === null ? "wake-up" : `${cron}, ${recurring ? "recurring" : "once"}`;
  return `${id} · ${kind} · ${durable ? "durable" : "this session"} · next ${formatTime(next)} · ${text}`;
}
