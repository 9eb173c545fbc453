import type { Background, BackgroundCommand } from "../features/background/background.ts";
import { commandView } from "../features/background/background-service.ts";
import { type Clock, pause } from "../lib/clock.ts";
import type { BackgroundService } from "../tools/background.ts";

/** The background commands that one agent runs on this machine, for the tools that name them. */
export function ownTasks(background: Background, clock: Clock): BackgroundService {
  const view = (command: BackgroundCommand | undefined) =>
    command === undefined ? null : commandView(command, clock);
  return {
    find: (_, id) => view(background.find(id)),
    running: () => background.running.map((one) => commandView(one, clock)),
    async wait(_, id, ms, signal) {
      const command = background.find(id);
      if (command === undefined || command.end !== null) return;
      const over = new AbortController();
      const late = pause(clock, ms, AbortSignal.any([signal, over.signal]));
      await Promise.race([command.ended, late]);
      over.abort();
    },
    output: (id) => background.output(id),
    stop: (id) => background.stop(id),
    follow: (id, words) => background.follow(id, words),
  };
}
