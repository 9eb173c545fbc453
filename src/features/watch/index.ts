import type { Clock } from "../../lib/clock.ts";
import type { Limits } from "../../settings/limits.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { silenceOf } from "./judge.ts";
import { startWatch, type WatchNews } from "./watch.ts";
import { watched } from "./watched-record.ts";

export interface WatchFeatureParts {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly actors: Pick<Actors, "all" | "stop" | "showRemarks">;
  readonly onWarning: (message: string) => void;
}

/**
 * Checks every actor once a second, from outside, while any is running: the user is warned of stuck or late ones,
 * which are ended if they stay so. Joint: `onEvent` (an actor is running).
 */
export function watchFeature({ clock, limits, actors, onWarning }: WatchFeatureParts): {
  readonly joints: Joints;
  close(): void;
} {
  const { sessionMinutes, toolMs } = limits;
  const watch = startWatch({
    clock,
    limits: { ...limits, silentMs: silenceOf(limits) },
    ...(sessionMinutes === 0
      ? {}
      : { session: { startedAt: clock.now(), deadlineMs: sessionMinutes * 60_000 } }),
    actors: () =>
      actors
        .all()
        .filter(({ hasEnded }) => !hasEnded)
        .map((actor) => watched(actor, toolMs)),
    onNews: act,
  });

  function act(news: WatchNews): void {
    const { actor } = news;
    switch (news.type) {
      case "warn":
        onWarning(news.sentence);
        if (actor !== null) actors.showRemarks(actor, { trouble: news.sentence });
        return;
      case "end":
        if (actor !== null) actors.stop(actor, news.stop, "foreground");
        else for (const { id } of actors.all()) actors.stop(id, news.stop);
        return;
      case "paused":
        onWarning(news.sentence);
        return;
      case "well":
        if (actor !== null) actors.showRemarks(actor, { trouble: null });
        return;
      default:
        news satisfies never;
    }
  }

  return {
    joints: {
      onEvent(event) {
        if (event.type === "changed" && event.actor.startedAt !== null && !event.actor.hasEnded) watch.wake();
      },
    },
    close: () => watch.stop(),
  };
}
