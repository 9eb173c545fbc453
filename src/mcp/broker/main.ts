import { systemClock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { parentChannel } from "../../mailbox/rpc/channel.ts";
import { receive, sender, serve } from "../../mailbox/rpc/server.ts";
import { BROKER_NOTICES, BROKER_REQUESTS, type SESSION_NOTICES } from "../protocol.ts";
import { Broker } from "./broker.ts";
import { callTool, getPrompt, listPrompts, listResources, readResource } from "./requests.ts";

/**
 * The broker: one process for all MCP servers of a session, which starts them, speaks to them and ends them (C9).
 *
 * It is a process, not a thread, for three reasons. A child that a thread has started is lost when the thread is
 * terminated, in 28 of 60 runs, and outlives a main process that is killed; a process hears its channel close, and ends
 * every group. A flood fills this process's memory, not the session's. And the SDK, a tenth of a second and 30 MB, is
 * loaded only here, if there is a server.
 */
function run(): void {
  const channel = parentChannel();
  const notify = sender<typeof SESSION_NOTICES>(channel);
  let broker: Broker | null = null;
  let isClosing = false;
  const started = (): Broker => {
    if (broker === null || isClosing) throw new Error("The MCP broker is not running.");
    return broker;
  };
  const connection = (slug: string) => started().find(slug);
  async function close(): Promise<void> {
    if (isClosing) return;
    isClosing = true;
    void requests.close();
    await broker?.close();
    process.exit(0);
  }

  receive(channel, BROKER_NOTICES, {
    begin(settings) {
      broker = new Broker(settings, systemClock, channel);
    },
    start: ({ server, life }) => started().start(server, life),
    stop: ({ slug }) => void started().stop(slug),
  });
  const requests = serve(channel, BROKER_REQUESTS, {
    callTool: ({ slug, tool, input, output }, { signal, event }) =>
      connection(slug).request(signal, (parts) => callTool(tool, input, output, parts), event),
    readResource: ({ slug, uri, output }, { signal }) =>
      connection(slug).request(signal, (parts) => readResource(uri, output, parts)),
    listResources: ({ slug }, { signal }) => connection(slug).request(signal, listResources),
    listPrompts: ({ slug }, { signal }) => connection(slug).request(signal, listPrompts),
    getPrompt: ({ slug, name, arguments: args }, { signal }) =>
      connection(slug).request(signal, (parts) => getPrompt(name, args, parts)),
    signIn: ({ slug }, { signal }) => started().signIn(slug, signal),
    signOut: ({ slug }) => started().signOut(slug),
  });
  channel.onClose(() => void close());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void close());
  // A server's answer can make a stream fail that nothing awaits; the other servers must not suffer for it.
  process.on("unhandledRejection", (error) => {
    const message = `Something failed in the MCP broker, which continues: ${errorMessage(error)}`;
    notify("warning", { message });
  });
}

run();
