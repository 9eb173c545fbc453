/** A child process that serves the tests' table, and sends back each notice that it takes. */
import * as z from "zod/mini";
import { parentChannel } from "../../../src/mailbox/rpc/channel.ts";
import { receive, sender, serve } from "../../../src/mailbox/rpc/server.ts";
import { HANDLERS, TABLE } from "./table.ts";

const NOTICES = { word: z.string() };

const channel = parentChannel();
const tell = sender<typeof NOTICES>(channel);
serve(channel, TABLE, HANDLERS);
receive(channel, NOTICES, { word: (word) => tell("word", word.toUpperCase()) });
