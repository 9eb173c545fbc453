import type { Services } from "../../src/mailbox/services.ts";

const unasked = async (): Promise<never> => {
  throw new Error("Nobody asks for this here.");
};

/** Services of which only `own` may be asked for: anything else is a fault of who asks. */
export function servicesWith(own: Partial<Services> = {}): Services {
  return {
    before: unasked,
    after: unasked,
    callTool: unasked,
    reply: unasked,
    model: unasked,
    turn: unasked,
    finish: unasked,
    compacting: unasked,
    compacted: unasked,
    hidden: unasked,
    run: unasked,
    command: unasked,
    background: unasked,
    ...own,
  };
}
