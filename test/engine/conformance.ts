import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Carrier, LendSlot, OfferedAttempt } from "../../src/engine/carrier.ts";
import { EngineAwayError, MAX_BLOB_BYTES, MAX_TEXT_BYTES } from "../../src/engine/limits.ts";
import { openMessage, sealMessage } from "../../src/engine/messages.ts";
import { createSeal } from "../../src/engine/seal.ts";

/** One engine, for one test: who offers, who takes, and what makes the engine go away and return. */
export interface Ground {
  readonly session: Carrier;
  readonly runner: Carrier;
  /** A second runner, if the carrier can have more than two parties. */
  readonly other?: Carrier;
  readonly crash?: () => Promise<void>;
  readonly restart?: () => Promise<void>;
}

let made = 0;
const fresh = (name: string) => `${name}-${process.pid}-${made++}`;
const wait = <T>(look: () => T) => vi.waitFor(look, { timeout: 20_000, interval: 10 });

/** What every carrier does. */
export function conforms(open: () => Promise<Ground>): void {
  it("hands each attempt to one taker, once, with its body and pool", async () => {
    const { session, runner, other } = await opened(open);
    const pool = fresh("pool");
    const taken: Array<OfferedAttempt & { pool: string }> = [];
    for (const carrier of [runner, ...(other ? [other] : [])])
      closing(carrier.take([pool], 4, async (attempt, from) => void taken.push({ ...attempt, pool: from })));
    const attempts = Array.from({ length: 12 }, (_, at) => ({
      id: `s-a${at}-1`,
      body: `{"at":${at},"é":"\\n"}`,
    }));
    for (const attempt of attempts) await session.offer(pool, attempt);
    await wait(() => expect(taken.length).toBe(12));
    await session.withdraw(pool, "s-a0-1");
    expect(taken.map(({ id }) => id).sort()).toEqual(attempts.map(({ id }) => id).sort());
    expect(taken.find(({ id }) => id === "s-a3-1")).toEqual({ ...attempts[3], pool });
  });

  it("ignores an attempt that is offered twice", async () => {
    const { session, runner } = await opened(open);
    const pool = fresh("pool");
    const run = held();
    closing(runner.take([pool], 2, run.take));
    await session.offer(pool, { id: "s-a-1", body: "first" });
    await wait(() => expect(run.taken).toEqual(["s-a-1"]));
    await session.offer(pool, { id: "s-a-1", body: "second" });
    await session.offer(pool, { id: "s-b-1", body: "" });
    await wait(() => expect(run.taken).toEqual(["s-a-1", "s-b-1"]));
    run.release();
  });

  it("runs no more attempts than there are slots, over all pools, and nothing while it is paused", async () => {
    const { session, runner } = await opened(open);
    const [one, two] = [fresh("pool"), fresh("pool")];
    const run = held();
    const taking = closing(runner.take([one, two], 2, run.take));
    for (const [at, pool] of [one, two, one, two].entries())
      await session.offer(pool, { id: `s-a${at}-1`, body: "" });
    await wait(() => expect(run.taken.length).toBe(2));
    await session.publish(fresh("settle"), "");
    expect(run.taken.length).toBe(2);
    await taking.pause();
    run.release();
    await session.offer(one, { id: "s-late-1", body: "" });
    await session.publish(fresh("settle"), "");
    expect(run.taken.length).toBe(2);
    await taking.resume();
    await wait(() => expect(run.taken.length).toBe(5));
    expect(run.most).toBe(2);
  });

  it("has the slots that it had when it takes again", async () => {
    const { session, runner } = await opened(open);
    const [pool, run] = [fresh("pool"), held()];
    const taking = closing(runner.take([pool], 2, run.take));
    await session.offer(pool, { id: "s-runs-1", body: "" });
    await wait(() => expect(run.taken).toEqual(["s-runs-1"]));
    await taking.pause();
    for (const id of ["s-a-1", "s-b-1"]) await session.offer(pool, { id, body: "" });
    await taking.resume();
    await wait(() => expect(run.taken).toEqual(["s-runs-1", "s-a-1"]));
    run.running[0]?.end();
    await wait(() => expect(run.taken).toEqual(["s-runs-1", "s-a-1", "s-b-1"]));
    expect(run.most).toBe(2);
    run.release();
  });

  it("hands out each pool in its order, also if a runner of several pools took more than it has slots", async () => {
    const { session, runner } = await opened(open);
    const pools = [fresh("pool"), fresh("pool"), fresh("pool")];
    const ids = pools.map((_, at) => [1, 2, 3].map((n) => `s-p${at}n${n}-1`));
    for (const [at, pool] of pools.entries())
      for (const id of ids[at] ?? []) await session.offer(pool, { id, body: "" });
    const run = held();
    closing(runner.take(pools, 1, run.take));
    for (let ended = 0; ended < 9; ended += 1) {
      await wait(() => expect(run.running.length).toBe(ended + 1));
      run.running[ended]?.end();
    }
    expect(pools.map((_, at) => run.taken.filter((id) => id.startsWith(`s-p${at}`)))).toEqual(ids);
    expect(run.most).toBe(1);
  });

  it("takes another attempt while one has lent its slot, and as many as before when that is back", async () => {
    const { session, pool, run } = await busyRunner(open);
    const [first] = run.running;
    for (const id of ["s-a-1", "s-b-1"]) await session.offer(pool, { id, body: "" });
    first?.lend(true);
    first?.lend(true);
    await wait(() => expect(run.taken).toEqual(["s-runs-1", "s-a-1"]));
    first?.lend(false);
    run.running[1]?.end();
    await session.publish(fresh("settle"), "");
    expect(run.taken).toEqual(["s-runs-1", "s-a-1"]);
    first?.lend(true);
    await wait(() => expect(run.taken).toEqual(["s-runs-1", "s-a-1", "s-b-1"]));
    run.release();
    await wait(async () => expect(await session.isTaken(pool, "s-runs-1")).toBe(false));
    for (const id of ["s-c-1", "s-d-1"]) await session.offer(pool, { id, body: "" });
    await wait(() => expect(run.taken).toEqual(["s-runs-1", "s-a-1", "s-b-1", "s-c-1", "s-d-1"]));
    expect(run.most).toBe(2);
  });

  it("removes an attempt that waits, and none that is being run", async () => {
    const { session, pool, run } = await busyRunner(open);
    for (const id of ["s-gone-1", "s-next-1"]) await session.offer(pool, { id, body: "" });
    expect(await session.isTaken(pool, "s-runs-1")).toBe(true);
    for (const id of ["s-gone-1", "s-unknown-1"]) expect(await session.isTaken(pool, id)).toBe(false);
    for (const id of ["s-gone-1", "s-runs-1", "s-unknown-1"]) await session.withdraw(pool, id);
    run.release();
    await wait(() => expect(run.taken).toEqual(["s-runs-1", "s-next-1"]));
  });

  it("hands out what goes first before all that wait", async () => {
    const { session, pool, run } = await busyRunner(open);
    for (const id of ["s-a-1", "s-b-1"]) await session.offer(pool, { id, body: "" });
    for (const id of ["s-c-2", "s-d-2"]) await session.offer(pool, { id, body: "" }, true);
    run.release();
    await wait(() => expect(run.taken).toEqual(["s-runs-1", "s-d-2", "s-c-2", "s-a-1", "s-b-1"]));
  });

  it("continues to take after an attempt throws", async () => {
    const { session, runner } = await opened(open);
    const pool = fresh("pool");
    const taken: string[] = [];
    closing(
      runner.take([pool], 1, async ({ id }) => {
        taken.push(id);
        throw new Error("boom");
      }),
    );
    for (const id of ["s-a-1", "s-b-1"]) await session.offer(pool, { id, body: "" });
    await wait(() => expect(taken).toEqual(["s-a-1", "s-b-1"]));
  });

  it("delivers texts in order to each listener, in both directions, and none to a closed one", async () => {
    const { session, runner } = await opened(open);
    for (const [from, to] of [
      [session, runner],
      [runner, session],
    ] as const) {
      const topic = `${fresh("topic")}.svc`;
      const heard: string[] = [];
      const closed: string[] = [];
      closing(await to.listen(topic, (text) => heard.push(text)));
      const gone = await to.listen(topic, (text) => closed.push(text));
      await gone.close();
      await from.publish(fresh("elsewhere"), "not for it");
      const large = "é".repeat(MAX_TEXT_BYTES / 2);
      const texts = [...Array.from({ length: 20 }, (_, at) => `text ${at}`), large, "\u2028 last\n"];
      for (const text of texts) await from.publish(topic, text);
      await wait(() => expect(heard.length).toBeGreaterThanOrEqual(texts.length));
      expect(heard).toEqual(texts);
      expect(closed).toEqual([]);
    }
  });

  it.each([
    ["a text", 300_000],
    ["a blob", 9_000_000],
  ])(
    "carries a message that is too large for %s, and keeps nothing of it when it is received",
    async (_, bytes) => {
      const { session, runner } = await opened(open);
      const seal = createSeal(randomBytes(32), "s");
      const value = randomBytes(bytes).toString("base64");
      const raw = await sealMessage(session, seal, "s", "t", JSON.stringify(value));
      expect(raw.length).toBeLessThan(1000);
      expect((await openMessage(runner, () => seal, "t", raw))?.value).toBe(value);
      expect((await openMessage(runner, () => seal, "t", raw, true))?.value).toBe(value);
      await expect(openMessage(runner, () => seal, "t", raw)).rejects.toThrow("no longer has its text");
    },
  );

  it("keeps blobs under a name with their hash until they are dropped", async () => {
    const { session, runner } = await opened(open);
    const bytes = Buffer.alloc(MAX_BLOB_BYTES, 7);
    bytes.writeUInt32BE(made++);
    const name = await session.putBlob("ours", bytes);
    expect(name).toMatch(/^ours\.[0-9a-f]{64}$/);
    expect(await session.putBlob("ours", bytes)).toBe(name);
    const got = await runner.getBlob(name);
    expect(got !== null && Buffer.compare(got, bytes)).toBe(0);
    await runner.dropBlob(name);
    await runner.dropBlob(name);
    expect(await session.getBlob(name)).toBeNull();
    const empty = await runner.putBlob("ours", new Uint8Array());
    expect(await session.getBlob(empty)).toHaveLength(0);
    await session.dropBlob(empty);
  });

  it("removes every blob of one owner, also those that a runner put, and keeps the blobs of others", async () => {
    const { session, runner } = await opened(open);
    const texts = ["one", "two", ""].map((text) => Buffer.from(text));
    const [owner, other] = [`a${made++}`, `a${made++}`];
    const kept = await Promise.all(texts.map((bytes) => session.putBlob(other, bytes)));
    const dropped = [
      ...(await Promise.all(texts.map((bytes) => session.putBlob(owner, bytes)))),
      await runner.putBlob(owner, Buffer.from("three")),
    ];
    await session.dropBlobsOf(owner);
    for (const name of dropped) {
      await vi.waitUntil(async () => (await session.getBlob(name)) === null);
      expect(await runner.getBlob(name)).toBeNull();
    }
    for (const name of kept) expect(await runner.getBlob(name)).not.toBeNull();
    await session.dropBlobsOf(other);
  });

  it("refuses what is too large or badly named, and says the limit", async () => {
    const { session } = await opened(open);
    const large = "x".repeat(MAX_TEXT_BYTES + 1);
    await expect(session.publish("a.b", large)).rejects.toThrow(/262145 bytes is too large.*262144.*blob/);
    await expect(session.putBlob("ours", new Uint8Array(MAX_BLOB_BYTES + 1))).rejects.toThrow(/8388608/);
    for (const topic of ["", "a b", "a..b", ".a", "a:b", "é"])
      await expect(session.publish(topic, "")).rejects.toThrow("is not a topic");
    await expect(session.offer("a b", { id: "x", body: "" })).rejects.toThrow("is not a name");
    await expect(session.offer("a", { id: "x:y", body: "" })).rejects.toThrow("is not a name");
  });

  it("ends everything when it is closed, and refuses calls after that", async () => {
    const { session, runner } = await opened(open);
    const pool = fresh("pool");
    const taken: string[] = [];
    runner.take([pool], 1, async ({ id }) => void taken.push(id));
    await runner.listen(fresh("topic"), () => {});
    await runner.close();
    await runner.close();
    await expect(runner.publish("a", "")).rejects.toThrow();
    if (session.isUp) await session.offer(pool, { id: "s-a-1", body: "" });
    await session.close();
    expect(taken).toEqual([]);
  });
}

/** What every carrier does whose engine is a program of its own. */
export function survives(open: () => Promise<Ground>): void {
  it("says when the engine is away, rejects calls, and works again when it is back", async () => {
    const ground = await opened(open);
    const { session, runner } = ground;
    const pool = fresh("pool");
    const topic = fresh("topic");
    const heard: string[] = [];
    const run = held();
    const states: boolean[] = [];
    closing(await runner.listen(topic, (text) => heard.push(text)));
    session.onUp((isUp) => states.push(isUp));
    await session.offer(pool, { id: "s-waits-1", body: "kept" });
    const hash = await session.putBlob("ours", Buffer.from("kept"));
    expect(session.isUp).toBe(true);
    await ground.crash?.();
    await wait(() => expect([session.isUp, runner.isUp]).toEqual([false, false]));
    await Promise.all([
      expect(session.publish(topic, "lost")).rejects.toThrow(EngineAwayError),
      expect(session.offer(pool, { id: "s-lost-1", body: "" })).rejects.toThrow(EngineAwayError),
      expect(session.getBlob(hash)).rejects.toThrow(EngineAwayError),
    ]);
    closing(runner.take([pool], 1, run.take));
    await ground.restart?.();
    await wait(() => expect([session.isUp, runner.isUp, ...states]).toEqual([true, true, false, true]));
    await wait(() => expect(run.taken[0]).toBe("s-waits-1"));
    await wait(async () => {
      await session.publish(topic, "again");
      expect(heard).toContain("again");
    });
    expect(Buffer.from((await runner.getBlob(hash)) ?? []).toString()).toBe("kept");
    run.release();
  });
}

/** A runner whose only slot is taken until its attempt is released. */
async function busyRunner(open: () => Promise<Ground>) {
  const { session, runner } = await opened(open);
  const [pool, run] = [fresh("pool"), held()];
  closing(runner.take([pool], 1, run.take));
  await session.offer(pool, { id: "s-runs-1", body: "" });
  await wait(() => expect(run.taken).toEqual(["s-runs-1"]));
  return { session, pool, run };
}

async function opened(open: () => Promise<Ground>): Promise<Ground> {
  const ground = await open();
  onTestFinished(async () => {
    await Promise.all([ground.session, ground.runner, ground.other].map((carrier) => carrier?.close()));
  });
  return ground;
}

function closing<T extends { close(): Promise<void> }>(closable: T): T {
  onTestFinished(() => closable.close());
  return closable;
}

/** Runs attempts until they are released, and counts how many ran together. */
function held() {
  const taken: string[] = [];
  const running: Array<{ readonly lend: LendSlot; readonly end: () => void }> = [];
  const state = { running: 0, most: 0, isReleased: false };
  return {
    taken,
    running,
    get most() {
      return state.most;
    },
    take: async ({ id }: OfferedAttempt, _: string, lend: LendSlot) => {
      taken.push(id);
      state.running += 1;
      state.most = Math.max(state.most, state.running);
      if (!state.isReleased) await new Promise<void>((end) => running.push({ lend, end }));
      state.running -= 1;
    },
    release() {
      state.isReleased = true;
      for (const { end } of running) end();
    },
  };
}
