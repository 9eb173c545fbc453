import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The skills that come with Troupe, each a directory of `skills/`. */
export const builtInSkills = readdirSync(join(import.meta.dirname, "../../skills")).sort();
