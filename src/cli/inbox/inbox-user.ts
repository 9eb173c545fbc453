import { untilAborted } from "../../lib/clock.ts";
import type { UserHandler } from "../../policy/user-requests.ts";

/** The value of --permission-prompt-tool that makes requests wait for an answer from another terminal. */
export const INBOX = "inbox";

/** A user who is not here: only `troupe inbox` answers. */
export const inboxUser: UserHandler = {
  async ask(_, signal) {
    await untilAborted(signal);
    return { type: "unavailable", reason: "The request was withdrawn." };
  },
};
