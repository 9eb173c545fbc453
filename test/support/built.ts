import { join } from "node:path";

/** The program as built: the copy of this run, or what lies in the checkout. */
const BUILT = process.env["TROUPE_TESTS_BUILT"] ?? join(import.meta.dirname, "../..");

export const BIN = join(BUILT, "bin/troupe.js");
export const DIST = join(BUILT, "dist");
