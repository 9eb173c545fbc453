/** A tool of one's own, in a module of its own: agents import it into their threads. */
import { defineTool } from "troupe/tool";
import * as z from "zod/mini";

export const openingHours = defineTool({
  module: import.meta.url,
  name: "OpeningHours",
  description: "Tells when the shop is open on a day. Use it for every question about opening hours.",
  inputSchema: z.object({ day: z.enum(["weekday", "saturday", "sunday"]) }),
  permissionLevel: "read",
  title: ({ day }) => day,
  call: async ({ day }) => ({ weekday: "9 to 18", saturday: "9 to 13", sunday: "closed" })[day],
});
