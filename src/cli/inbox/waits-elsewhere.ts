import { readWaiting } from "../../features/inbox/waiting-file.ts";
import { lockHolder } from "../../journal/numbered-lock.ts";
import { troupeHome } from "../../journal/paths.ts";
import { sessionPlaces } from "../../journal/sessions.ts";
import type { SessionId } from "../../mailbox/ids.ts";
import { counted } from "../../terminal/figures.ts";
import type { CliIO } from "../io.ts";

/** Returns a line if other sessions than this one wait for an answer, or null. Reads no journal. */
export async function waitsElsewhere(
  own: SessionId,
  { env, homedir }: Pick<CliIO, "env" | "homedir">,
): Promise<string | null> {
  const others = (await sessionPlaces(troupeHome(env, homedir))).filter(({ id }) => id !== own);
  const requests = others.flatMap(({ folder }) => {
    const waiting = readWaiting(folder).filter(({ request }) => request.type !== "paused");
    // The files of a killed process stay until its session is resumed.
    return waiting.length > 0 && lockHolder(folder) !== null ? waiting : [];
  });
  const wait = requests.length === 1 ? "waits" : "wait";
  return requests.length === 0
    ? null
    : `${counted(requests.length, "request")} of other sessions ${wait} for you: /inbox`;
}
