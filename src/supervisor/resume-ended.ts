import type { ActorRecord } from "./actor-record.ts";

/**
 * What has ended goes on with all it knew: `read` looks that up once its end is delivered, and `goOn` follows in the
 * same breath, so that nobody else comes in between. False: it runs, and hears what is said to it.
 */
export async function resumeEnded<Known>(
  actor: Pick<ActorRecord, "child" | "ended" | "run">,
  read: () => Promise<Known>,
  goOn: (known: Known) => Promise<void>,
): Promise<boolean> {
  while (hasEnded(actor)) {
    const { run } = actor;
    // An end on its way to the disk is not in the journal yet.
    await actor.ended;
    const known = await read();
    // Set going meanwhile, it may have ended once more: then what was read is not all.
    if (actor.run !== run) continue;
    await goOn(known);
    return true;
  }
  return false;
}

/** Also one that is being stopped: it hears nothing more. */
export function hasEnded({ child }: Pick<ActorRecord, "child">): boolean {
  return child.state === "ended" || child.state === "cancelling";
}
