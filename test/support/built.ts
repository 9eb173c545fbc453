import { existsSync } from "node:fs";
import { join } from "node:path";

/** The program as built: the copy of this run, or what lies in the checkout. */
const BUILT = process.env["TROUPE_TESTS_BUILT"] ?? join(import.meta.dirname, "../..");

export const BIN = join(BUILT, "bin/troupe.js");
export const DIST = join(BUILT, "dist");

// Each file of tests that needs the build fails once, with this sentence.
if (!existsSync(DIST))
  throw new Error("These tests run the built program, and there is none: npm run build.");
