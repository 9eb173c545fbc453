import type { Services } from "../../mailbox/services.ts";

/** What the services tell of an actor besides what they do: kept in its record. */
export interface Signs {
  lastSignAt: number;
  /** Questions of it that were not answered yet. */
  answering: number;
}

/** The same services; each question is a sign of life, and so is its answer, from which it goes on. */
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
