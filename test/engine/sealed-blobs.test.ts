import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { MAX_BLOB_BYTES } from "../../src/engine/limits.ts";
import { createSeal } from "../../src/engine/seal.ts";
import { SealedBlobs } from "../../src/engine/sealed-blobs.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MemoryEngine } from "../support/memory-carrier.ts";

/** Nonce and tag. */
const SEAL_BYTES = 28;
const engine = new MemoryEngine();
const carrier = engine.connect("session");
const sealer = createSeal(new Uint8Array(32).fill(1), "session1");
let isOver = false;
const blobs = new SealedBlobs({
  open: async () => ({ carrier, sealer }),
  ...{ session: "session1", clock: systemClock, isOver: () => isOver },
});

it.each([0, 5, MAX_BLOB_BYTES, 20 * 1024 * 1024 + 1])(
  "keeps %i bytes, in as many parts as they need",
  async (size) => {
    const bytes = randomBytes(size);
    const name = await blobs.put(bytes);
    expect(name.split("+")).toHaveLength(Math.ceil((size + SEAL_BYTES) / MAX_BLOB_BYTES));
    expect(Buffer.compare(await blobs.take(name), bytes)).toBe(0);
  },
);

it("refuses more than 64 MiB, and says what to do", async () => {
  await expect(blobs.put(new Uint8Array(64 * 1024 * 1024 + 1))).rejects.toThrow(
    /67108865 bytes .* 67108864.*shallow/,
  );
});

it("says that a part is lost", async () => {
  const name = await blobs.put(randomBytes(MAX_BLOB_BYTES));
  await carrier.dropBlob(name.split("+")[1] ?? "");
  await expect(blobs.take(name)).rejects.toThrow("The engine has lost the files of the agent.");
});

it("leaves nothing in the engine that is of no use any longer when it arrives", async () => {
  await carrier.dropBlobsOf("session1");
  isOver = true;
  onTestFinished(() => {
    isOver = false;
  });
  await blobs.put(randomBytes(MAX_BLOB_BYTES));
  expect(engine.blobNames).toEqual([]);
});
