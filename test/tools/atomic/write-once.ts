/** Writes once and says what came of it. */
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import { atomicWrite } from "../../../src/tools/atomic-write.ts";
import { writePlace } from "../../../src/tools/write-place.ts";

const [path = "", root = "", size = "0"] = process.argv.slice(2);
const { signal } = new AbortController();
const by = { signal, call: callId(MAIN, 1, 0) };
const place = writePlace(path, { root, additionalDirs: [] });
const written =
  place.type === "unusable" ? place : await atomicWrite(place, Buffer.alloc(Number(size), "n"), by);
process.stdout.write(JSON.stringify(written));
