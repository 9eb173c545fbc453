/** A session that opens servers and then waits to be killed: `node holder.ts <file> <folder>`. */
import { systemClock } from "../../src/lib/clock.ts";
import { openMcp } from "../../src/mcp/open-mcp.ts";
import { parsed, server } from "./opened-mcp.ts";

const [file = "", folder = "/tmp"] = process.argv.slice(2);
const mcp = openMcp({
  ...{
    servers: parsed({ family: server("raw.ts", "family", file), stubborn: server("raw.ts", "stubborn") })
      .servers,
  },
  ...{ clock: systemClock, env: process.env, cwd: folder, roots: [], home: folder },
  outputs: { next: () => ({ path: `${folder}/never` }) },
  onWarning: () => {},
});
await mcp.ready(20_000);
process.stdout.write(
  `${mcp
    .servers()
    .map(({ state }) => state.type)
    .join(" ")}\n`,
);
