import type { ActorHost } from "../actors/hosts.ts";
import { UNKNOWN_VITALS } from "../actors/hosts.ts";

/** Runs actors that name a pool on its runners, and all others here. `runners`: null if none are set up. */
export function routedHost(here: ActorHost, runners: ActorHost | null): ActorHost {
  return {
    start: (start) => (start.spec.pool === undefined ? here : (runners ?? NO_RUNNERS)).start(start),
    warm: (tool) => here.warm(tool),
    load: () => here.load(),
    async close() {
      await Promise.all([here.close(), runners?.close()]);
    },
  };
}

/** An agent of a resumed session may need runners that this one does not have. */
const NO_RUNNERS: Pick<ActorHost, "start"> = {
  start: ({ spec: { pool } }) => ({
    exited: Promise.resolve({
      type: "threw",
      message: `It runs on runners of pool ${pool}, and this session has no engine: resume it with --engine URL`,
    }),
    watch() {},
    cancel() {},
    terminate() {},
    vitals: () => UNKNOWN_VITALS,
  }),
};
