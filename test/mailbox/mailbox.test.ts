import { MessageChannel, Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { type Mailbox, portMailbox } from "../../src/mailbox/mailbox.ts";
import { mailboxPair } from "../../src/mailbox/mailbox-pair.ts";
import { FromAgent, ToAgent } from "../../src/mailbox/messages.ts";
import { seededScheduler } from "../../src/mailbox/scheduler.ts";

const Note = z.object({ n: z.number() });
type Note = z.infer<typeof Note>;

const open: Array<{ close(): void }> = [];
afterEach(() => {
  for (const end of open.splice(0)) end.close();
});

function pair(options: Partial<Parameters<typeof portMailbox<Note, Note>>[1]> = {}) {
  const { port1, port2 } = new MessageChannel();
  const left = portMailbox<Note, Note>(port1, { incoming: Note, ...options });
  const right = portMailbox<Note, Note>(port2, { incoming: Note, ...options });
  open.push(left, right);
  return { left, right, port1, port2 };
}

function collect(mailbox: Mailbox<Note, Note>, count: number): Promise<number[]> {
  return new Promise((resolve) => {
    const seen: number[] = [];
    mailbox.onMail(({ n }) => {
      seen.push(n);
      if (seen.length === count) resolve(seen);
    });
  });
}

describe("a mailbox over a port", () => {
  test("keeps the order of mail, far beyond the window", async () => {
    const { left, right } = pair();
    const got = collect(right, 4000);
    for (let n = 0; n < 4000; n += 1) left.send({ n });
    expect(await got).toEqual(Array.from({ length: 4000 }, (_, n) => n));
  });

  test("keeps mail that came before its reader", async () => {
    const { left, right } = pair();
    left.send({ n: 1 });
    left.send({ n: 2 });
    // Mail on a port arrives in order, so this answer proves that the notes before it have arrived too.
    const answered = collect(left, 1);
    right.send({ n: 3 });
    await answered;
    expect(await collect(right, 2)).toEqual([1, 2]);
  });

  test("malformed mail goes to dead letters and the next is read (A20.3)", async () => {
    const letters: unknown[] = [];
    const { port1, right } = pair({ onDeadLetter: (letter, reason) => letters.push([letter, reason]) });
    const got = collect(right, 1);
    for (const raw of [null, "text", { mail: { n: "one" } }, { read: "x" }, { mail: { n: 7 } }])
      port1.postMessage(raw);
    expect(await got).toEqual([7]);
    expect(letters).toEqual([
      [null, "malformed"],
      ["text", "malformed"],
      [{ n: "one" }, "malformed"],
      [{ read: "x" }, "malformed"],
    ]);
  });

  test("bounds what is in flight and what waits if a receiver does not read; reports the rest as dropped", () => {
    const dropped: unknown[] = [];
    const { port1 } = new MessageChannel();
    const left = portMailbox<Note, Note>(port1, {
      incoming: Note,
      onDeadLetter: (letter) => dropped.push(letter),
    });
    open.push(left);
    const fates = Array.from({ length: 6000 }, (_, n) => left.send({ n }));
    const count = (fate: string) => fates.filter((f) => f === fate).length;
    expect(count("sent")).toBe(512);
    expect(count("queued")).toBe(4096);
    expect(count("dropped")).toBe(6000 - 512 - 4096);
    expect(dropped).toHaveLength(count("dropped"));
  });

  test("queued mail with the same key is replaced by the newest", async () => {
    const { left, right } = pair({ coalesce: (note) => (note.n >= 1000 ? "late" : undefined) });
    for (let n = 0; n < 512; n += 1) left.send({ n });
    for (let n = 1000; n < 1500; n += 1) left.send({ n });
    const seen = await collect(right, 513);
    expect(seen.at(-1)).toBe(1499);
  });

  test("both ends learn that the other has closed", async () => {
    const { left, right } = pair();
    left.close();
    await Promise.all([left.closed, right.closed]);
  });

  test("no flood starves the main loop: timers fire while threads post as fast as they can", {
    tags: ["long"],
  }, async () => {
    const source = `
      import { workerData } from "node:worker_threads";
      const { portMailbox } = await import(workerData.mailbox);
      const z = await import(workerData.zod);
      const box = portMailbox(workerData.port, { incoming: z.object({ n: z.number() }) });
      for (let n = 0; ; n += 1) {
        box.send({ n });
        if (n % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
      }`;
    const floods = [0, 1].map(() => {
      const { port1, port2 } = new MessageChannel();
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
        workerData: {
          port: port2,
          mailbox: new URL("../../src/mailbox/mailbox.ts", import.meta.url).href,
          zod: import.meta.resolve("zod/mini"),
        },
        transferList: [port2],
      });
      const box = portMailbox<Note, Note>(port1, { incoming: Note });
      return { worker, box };
    });
    let burst = 0;
    let longest = 0;
    const flooding = floods.map(
      ({ box }) =>
        new Promise<void>((resolve) => {
          let seen = 0;
          box.onMail(() => {
            burst += 1;
            longest = Math.max(longest, burst);
            seen += 1;
            if (seen === 20_000) resolve();
          });
        }),
    );
    // A port hands over all it holds in one go, so between two timers there is at most what the windows let through.
    const clock = setInterval(() => {
      burst = 0;
    }, 1);
    await Promise.all(flooding);
    clearInterval(clock);
    expect(longest).toBeLessThan(5000);
    await Promise.all(floods.map(({ worker }) => worker.terminate()));
    for (const { box } of floods) box.close();
  });
});

describe("mailboxes in one thread", () => {
  test("order holds within a lane and is shuffled across lanes by the seed, the same for the same seed", async () => {
    const play = async (seed: number) => {
      let state = seed;
      const random = () => {
        state = (state * 16807) % 2147483647;
        return state / 2147483647;
      };
      const scheduler = seededScheduler(random);
      const log: string[] = [];
      const ends = ["a", "b"].map((name) => mailboxPair({ forLeft: Note, forRight: Note }, scheduler, name));
      const all = Promise.all(
        ends.map(
          ({ right }, index) =>
            new Promise<void>((resolve) => {
              right.onMail(({ n }) => {
                log.push(`${index}:${n}`);
                if (n === 9) resolve();
              });
            }),
        ),
      );
      for (let n = 0; n < 10; n += 1) for (const { left } of ends) left.send({ n });
      await all;
      return log;
    };
    const log = await play(42);
    for (const lane of ["0", "1"]) {
      expect(log.filter((entry) => entry.startsWith(lane))).toEqual(
        Array.from({ length: 10 }, (_, n) => `${lane}:${n}`),
      );
    }
    expect(await play(42)).toEqual(log);
    expect(await play(7)).not.toEqual(log);
  });

  test("mail is copied: what the sender changes afterwards is not seen", async () => {
    const { left, right } = mailboxPair(
      { forLeft: Note, forRight: Note },
      seededScheduler(() => 0),
      "x",
    );
    const got = new Promise<number>((resolve) => right.onMail(({ n }) => resolve(n)));
    const note = { n: 1 };
    left.send(note);
    note.n = 2;
    expect(await got).toBe(1);
  });
});

describe("the words", () => {
  test.each([
    [ToAgent, { type: "cancel", reason: "enough" }],
    [FromAgent, { type: "progress", turn: 2, usage: noUsage, text: "…" }],
    [FromAgent, { type: "text", text: "Hello", turn: 1 }],
    [FromAgent, { type: "call-begins", tool: "Agent" }],
  ])("every letter survives a JSON round trip (promise 3)", (schema, letter) => {
    expect(z.parse(schema as z.ZodMiniType, JSON.parse(JSON.stringify(letter)))).toEqual(letter);
  });
});
