/** `npm run docs`: writes docs/tools.md from the definitions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderToolsDoc } from "./tools-doc/render.ts";

writeFileSync(join(import.meta.dirname, "../docs/tools.md"), renderToolsDoc());
