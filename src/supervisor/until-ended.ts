/** Resolves when each of them has ended; an aborted signal cancels them, and their ends are still waited for. */
export async function untilEnded<Actor extends Pick<Actor, "ended">>(
  actors: readonly Actor[],
  cancel: (actor: Actor) => void,
  signal?: AbortSignal,
): Promise<void> {
  const stop = () => {
    for (const actor of actors) cancel(actor);
  };
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  await Promise.all(actors.map(({ ended }) => ended));
  signal?.removeEventListener("abort", stop);
}
