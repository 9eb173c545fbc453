import { errorMessage } from "../../lib/errors.ts";
import { systemClock } from "../../mailbox/clock.ts";
import { type FromBroker, ToBroker } from "../protocol.ts";
import { Broker } from "./broker.ts";

/**
 * The broker: one process for all MCP servers of a session, which starts them, speaks to them and ends them (C9).
 *
 * It is a process and no thread for three reasons. A child that a thread has started is unknown once the thread is
 * terminated, in 28 of 60 runs, and outlives a main process that is killed; a process of its own hears the channel
 * close, and ends every group. What a server floods fills this memory, not the session's. And the SDK, a tenth of a
 * second and 30 MB, is loaded only here, where there is a server.
 */
function serve(): void {
  let broker: Broker | null = null;
  let leaving = false;

  const send = (message: FromBroker) => {
    // Nobody to tell is no fault: `disconnect` follows and ends everything.
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };

  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    await broker?.close();
    process.exit(0);
  }

  function hear(raw: unknown): void {
    const message = ToBroker.parse(raw);
    if (leaving) return;
    if (message.type === "begin") broker = new Broker(message, systemClock, send);
    else broker?.hear(message);
  }

  process.on("message", hear);
  // The session is gone, by close() or by SIGKILL: the channel says so either way.
  process.on("disconnect", () => void leave());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void leave());
  // A server's answer can make a stream fail that nobody waits for; the other servers must not suffer for it.
  process.on("unhandledRejection", (error) => {
    const why = errorMessage(error);
    send({ type: "warning", message: `Something failed in the MCP broker, which goes on: ${why}` });
  });
  if (!process.connected) void leave();
}

serve();
