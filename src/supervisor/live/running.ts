import type { Clock } from "../../mailbox/clock.ts";
import type { SessionId } from "../../mailbox/ids.ts";
import type { LiveHello } from "./protocol.ts";
import { type SocketPlace, socketPlaces } from "./socket-path.ts";
import { watchSession } from "./watch-session.ts";

/** A session that runs, and where it can be looked at. */
export interface RunningSession {
  readonly session: SessionId;
  readonly path: string;
  /** Null: somebody is there, but does not say who; its main thread may be busy, or it is of another version. */
  readonly hello: LiveHello | null;
}

/** Sockets asked at the same time. */
const AT_ONCE = 16;

/** The sessions that run now, by the sockets in `home`, oldest first. What is dead is left out. */
export async function runningSessions(home: string, clock: Clock): Promise<RunningSession[]> {
  const places = socketPlaces(home);
  const found: RunningSession[] = [];
  for (let start = 0; start < places.length; start += AT_ONCE) {
    const asked = places.slice(start, start + AT_ONCE).map((place) => running(place, clock));
    found.push(...(await Promise.all(asked)).filter((session) => session !== null));
  }
  const since = ({ hello }: RunningSession) => hello?.startedAt ?? "";
  return found.sort((a, b) => (since(a) < since(b) ? -1 : since(a) > since(b) ? 1 : 0));
}

function running({ session, path }: SocketPlace, clock: Clock): Promise<RunningSession | null> {
  return new Promise((resolve) => {
    const leave = watchSession(path, clock, (news) => {
      if (news.type === "look") return;
      leave();
      if (news.type === "hello") return resolve({ session, path, hello: news.hello });
      const there = news.how === "silent" || news.how === "strange";
      resolve(there ? { session, path, hello: null } : null);
    });
  });
}
