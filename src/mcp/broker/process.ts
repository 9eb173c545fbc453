import { errorMessage } from "../../lib/errors.ts";
import { systemClock } from "../../mailbox/clock.ts";
import { parentChannel } from "../../mailbox/rpc/channel.ts";
import { receive, sender, serve } from "../../mailbox/rpc/server.ts";
import { BROKER_NOTICES, BROKER_REQUESTS, type Outcome, type SESSION_NOTICES } from "../protocol.ts";
import { Broker } from "./broker.ts";

/**
 * The broker: one process for all MCP servers of a session, which starts them, speaks to them and ends them (C9).
 *
 * It is a process and no thread for three reasons. A child that a thread has started is unknown once the thread is
 * terminated, in 28 of 60 runs, and outlives a main process that is killed; a process of its own hears the channel
 * close, and ends every group. What a server floods fills this memory, not the session's. And the SDK, a tenth of a
 * second and 30 MB, is loaded only here, where there is a server.
 */
function run(): void {
  const channel = parentChannel();
  const tell = sender<typeof SESSION_NOTICES>(channel);
  let broker: Broker | null = null;
  let leaving = false;
  const running = () => (leaving ? null : broker);

  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    void served.close();
    await broker?.close();
    process.exit(0);
  }

  receive(channel, BROKER_NOTICES, {
    begin(begin) {
      broker = new Broker(begin, systemClock, channel);
    },
    start: ({ server, life }) => running()?.start(server, life),
    stop: ({ slug }) => void running()?.stop(slug),
    restart: ({ slug }) => running()?.restart(slug),
  });
  const served = serve(channel, BROKER_REQUESTS, {
    carryOut: ({ slug, wish }, { signal, event }) =>
      running()?.carryOut(slug, wish, signal, event) ?? NOT_BEGUN,
  });
  // The session is gone, by close() or by SIGKILL: the channel says so either way.
  channel.onClose(() => void leave());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void leave());
  // A server's answer can make a stream fail that nobody waits for; the other servers must not suffer for it.
  process.on("unhandledRejection", (error) => {
    const why = errorMessage(error);
    tell("warning", { message: `Something failed in the MCP broker, which goes on: ${why}` });
  });
}

const NOT_BEGUN: Outcome = { type: "failed", message: "The MCP broker has not begun." };

run();
