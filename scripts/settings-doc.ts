/** `npm run docs`: writes docs/settings.md from the catalogue. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderSettingsDoc } from "./settings-doc/render.ts";

writeFileSync(join(import.meta.dirname, "../docs/settings.md"), renderSettingsDoc());
