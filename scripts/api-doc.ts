/** `npm run docs`: writes docs/reference.md from the docstrings of what the library exports. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderApiDoc } from "./api-doc/render.ts";

writeFileSync(join(import.meta.dirname, "../docs/reference.md"), renderApiDoc());
