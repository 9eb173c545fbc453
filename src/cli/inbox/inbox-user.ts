import type { UserHandler } from "../../policy/user-requests.ts";

/** The value of --permission-prompt-tool that makes requests wait for an answer from another terminal. */
export const INBOX = "inbox";

/** A user who is not here: only `troupe inbox` answers. */
export const inboxUser: UserHandler = {
  ask: (_, signal) =>
    new Promise((resolve) => {
      const end = () => resolve({ type: "unavailable", reason: "The request was withdrawn." });
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    }),
};
