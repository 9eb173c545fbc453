import type { Services } from "../../mailbox/services.ts";

/** Signs of life that the services record of an actor. */
export interface Signs {
  lastSignAt: number;
  /** Its open requests. */
  answering: number;
}

/** Returns the same services; each request and each response counts as a sign of life. */
export function withHeartbeat(services: Services, signs: Signs, now: () => number): Services {
  const noted =
    <Q, A>(answer: (question: Q) => Promise<A>) =>
    async (question: Q): Promise<A> => {
      signs.lastSignAt = now();
      signs.answering += 1;
      try {
        return await answer(question);
      } finally {
        signs.answering -= 1;
        signs.lastSignAt = now();
      }
    };
  return {
    before: noted(services.before),
    after: noted(services.after),
    callTool: noted(services.callTool),
    reply: noted(services.reply),
    yield: noted(services.yield),
    model: noted(services.model),
    turn: noted(services.turn),
    finish: noted(services.finish),
    compacting: noted(services.compacting),
    compacted: noted(services.compacted),
    hidden: noted(services.hidden),
    run: noted(services.run),
    command: noted(services.command),
    background: noted(services.background),
  };
}
