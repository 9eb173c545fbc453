import { connect } from "node:net";
import type { Clock } from "../../mailbox/clock.ts";
import type { SessionId } from "../../mailbox/ids.ts";
import {
  halfMade,
  identityOf,
  removeFile,
  removePlace,
  type SocketPlace,
  socketPlaces,
} from "./socket-path.ts";

/** Milliseconds after which what is not ready never will be: it takes less than one. */
const HALF_MADE_MS = 60_000;

/** Removes what sessions left behind whose processes were killed. Never a socket that somebody answers at. */
export async function sweepSockets(home: string, clock: Clock, own?: SessionId): Promise<void> {
  for (const place of socketPlaces(home)) if (place.session !== own) await sweepIfDead(place);
  for (const path of halfMade(home, Date.parse(clock.date()) - HALF_MADE_MS)) removeFile(path);
}

export async function sweepIfDead(place: SocketPlace): Promise<void> {
  const before = identityOf(place.path);
  // A session that is taken up again may have put its new socket there while the old one was asked.
  if ((await isDead(place.path)) && identityOf(place.path) === before) removePlace(place);
}

/** Nobody listens there. Answers at once: the system does not wait where a socket's line is full. */
function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ECONNREFUSED" || error.code === "ENOENT");
    });
  });
}
