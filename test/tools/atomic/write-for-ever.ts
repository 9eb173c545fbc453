/** Overwrites a file in turn with two contents, until it is killed. */
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import { atomicWrite } from "../../../src/tools/atomic-write.ts";
import { writePlace } from "../../../src/tools/write-place.ts";

const [path = "", root = "", size = "0"] = process.argv.slice(2);
const { signal } = new AbortController();
const by = { signal, call: callId(MAIN, 1, 0) };
process.stdout.write("begun\n");
for (let n = 0; ; n += 1) {
  const place = writePlace(path, { root, additionalDirs: [] });
  if (place.type === "unusable") throw new Error(place.reason);
  const written = await atomicWrite(place, Buffer.alloc(Number(size), n % 2 === 0 ? "a" : "b"), by);
  if (written.type === "unusable") throw new Error(written.reason);
}
