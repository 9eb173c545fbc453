/** `npm run docs`: writes docs/events.md from the schemas of events. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderEventsDoc } from "./events-doc/render.ts";

writeFileSync(join(import.meta.dirname, "../docs/events.md"), renderEventsDoc());
