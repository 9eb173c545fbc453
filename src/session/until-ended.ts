const CANCELLED = "It was cancelled.";

/**
 * Resolves when each of them has ended; an aborted signal cancels them, for the reason that it was given, and their ends
 * are still waited for.
 */
export async function untilEnded<Actor extends Pick<Actor, "ended">>(
  actors: readonly Actor[],
  cancel: (actor: Actor, reason: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const stop = () => {
    for (const actor of actors) cancel(actor, reasonOf(signal));
  };
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  await Promise.all(actors.map(({ ended }) => ended));
  signal?.removeEventListener("abort", stop);
}

function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== "AbortError" ? reason.message : CANCELLED;
}
