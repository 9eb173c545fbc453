import { createHmac } from "node:crypto";
import * as z from "zod/mini";

/** A prompt that is due at the times of a cron expression. Times are ISO 8601. */
export const Job = z.object({
  id: z.string(),
  cron: z.string(),
  prompt: z.string(),
  recurring: z.boolean(),
  createdAt: z.string(),
  /** When it is due next. */
  next: z.string(),
});
export type Job = z.infer<typeof Job>;

/** A job of the file; the seal shows that a session of this user has put it there. */
export const SealedJob = z.extend(Job, { seal: z.string() });
export type SealedJob = z.infer<typeof SealedJob>;

/** Days after which a recurring job ends (A15.1). */
export const CRON_LIFETIME_MS = 7 * 86_400_000;

/** True if a recurring job has lived its seven days. */
export function hasExpired({ recurring, createdAt }: Job, now: number): boolean {
  return recurring && now >= Date.parse(createdAt) + CRON_LIFETIME_MS;
}

/** Returns the seal of a job in a project: what is sent to a model depends on these fields, so a change breaks it. */
export function sealOf(
  { id, cron, prompt, recurring, createdAt }: Job,
  project: string,
  key: Buffer,
): string {
  const text = JSON.stringify([project, id, cron, prompt, recurring, createdAt]);
  return createHmac("sha256", key).update(text).digest("hex").slice(0, 32);
}
