import * as z from "zod/mini";
import type { Mailbox } from "./mailbox.ts";
import type { Scheduler } from "./scheduler.ts";

/** What the two ends of a pair accept, named by the reader. */
export interface PairSchemas<A, B> {
  readonly forLeft: z.ZodMiniType<A>;
  readonly forRight: z.ZodMiniType<B>;
}

/** Returns two mailboxes in one thread, for the in-thread host. Messages are copied, as a port would. */
export function mailboxPair<A, B>(
  { forLeft, forRight }: PairSchemas<A, B>,
  scheduler: Scheduler,
  name: string,
): { left: Mailbox<A, B>; right: Mailbox<B, A> } {
  let open = true;
  let resolveClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  const close = () => {
    open = false;
    resolveClosed();
  };

  const inbox = <In>(schema: z.ZodMiniType<In>, lane: string) => {
    const early: In[] = [];
    let reader: ((message: In) => void) | undefined;
    return {
      deliver(message: unknown) {
        const copy = structuredClone(message);
        scheduler.post(`${name}:${lane}`, () => {
          const mail = open ? z.safeParse(schema, copy) : undefined;
          if (!mail?.success) return;
          if (reader) reader(mail.data);
          else early.push(mail.data);
        });
      },
      onMail(next: (message: In) => void) {
        reader = next;
        for (const message of early.splice(0)) next(message);
      },
    };
  };

  const leftIn = inbox(forLeft, "up");
  const rightIn = inbox(forRight, "down");
  const end = <In, Out>(
    mine: { onMail(r: (m: In) => void): void },
    theirs: { deliver(m: unknown): void },
  ) => ({
    send(message: Out) {
      if (open) theirs.deliver(message);
      return "sent" as const;
    },
    onMail: mine.onMail,
    closed,
    close,
  });
  return { left: end<A, B>(leftIn, rightIn), right: end<B, A>(rightIn, leftIn) };
}
