import { MessageChannel, Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { seededScheduler } from "../../src/mailbox/scheduler.ts";
import { serveServices, servicesInThread, servicesOver } from "../../src/mailbox/service-rpc.ts";
import { PeerGone, type Services } from "../../src/mailbox/services.ts";
import { servicesWith } from "../support/unasked-services.ts";

const open: Array<{ close(): void }> = [];
afterEach(() => {
  for (const end of open.splice(0)) end.close();
});

function lane(own: Partial<Services>) {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  serveServices(servicesWith(own), port1);
  return { asker: servicesOver(port2), port1, port2 };
}

const call = (index: number) => ({
  id: callId(MAIN, 1, index),
  toolUse: "toolu_1",
  tool: "Agent",
  input: { n: index },
});

describe("the service lane", () => {
  test("carries request and response, many together", async () => {
    const { asker } = lane({
      callTool: async ({ input }) => ({ content: JSON.stringify(input), isError: false }),
    });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => asker.callTool(call(n))));
    expect(answers.map(({ content }) => content)).toEqual(answers.map((_, n) => JSON.stringify({ n })));
  });

  test("asking makes no thread load Node's fetch, which costs more than all of the agent's own code", async () => {
    const { port1, port2 } = new MessageChannel();
    const thread = new Worker(new URL("./asking-thread.ts", import.meta.url));
    open.push(port1, { close: () => void thread.terminate() });
    serveServices(servicesWith({ callTool: async () => ({ content: "", isError: false }) }), port1);
    const loaded = new Promise<readonly string[]>((resolve) => thread.once("message", resolve));
    thread.postMessage(port2, [port2]);
    expect(await loaded).toContain("NativeModule internal/worker/io");
    expect(await loaded).not.toContain("NativeModule internal/deps/undici/undici");
  });

  test("what was run is not run again, and its output is not kept for that", async () => {
    let runs = 0;
    const result = { id: "r", outcome: "exited", exitCode: 0, signal: null, stdout: "x" } as const;
    const { asker } = lane({
      run: async () => {
        runs += 1;
        return { ...result, stderr: "", truncated: false, durationMs: 1 };
      },
    });
    const request = { id: "r", owner: MAIN, file: "x", args: [], cwd: "/", timeoutMs: 1, maxOutputBytes: 1 };
    expect(await asker.run(request)).toMatchObject(result);
    await expect(asker.run(request)).rejects.toThrow("answered before");
    expect(runs).toBe(1);
  });

  test("the same id twice gets the recorded answer: the tool ran once", async () => {
    let ran = 0;
    const { asker } = lane({ callTool: async () => ({ content: String(++ran), isError: false }) });
    expect(await asker.callTool(call(0))).toEqual(await asker.callTool(call(0)));
    expect(ran).toBe(1);
  });

  test("what a service throws reaches the asker as its message", async () => {
    const { asker } = lane({
      callTool: async () => {
        throw new TypeError("the disk is full");
      },
    });
    await expect(asker.callTool(call(0))).rejects.toThrow("the disk is full");
  });

  test("a malformed question is answered with what is wrong and reaches no service", async () => {
    const { asker } = lane({});
    await expect(asker.callTool({ ...call(0), tool: 7 as unknown as string })).rejects.toThrow(
      /malformed callTool.*tool/s,
    );
  });

  test("a closed port rejects every pending and every later call: nothing hangs", async () => {
    const { asker, port1 } = lane({ callTool: () => new Promise(() => {}) });
    const pending = [0, 1, 2].map((n) => asker.callTool(call(n)));
    port1.close();
    for (const answer of await Promise.allSettled(pending)) {
      expect(answer).toMatchObject({ status: "rejected", reason: expect.any(PeerGone) });
    }
    await expect(asker.callTool(call(3))).rejects.toBeInstanceOf(PeerGone);
  });

  test("a peer whose thread is terminated rejects pending calls", async () => {
    const { port1, port2 } = new MessageChannel();
    const asker = servicesOver(port2);
    const worker = new Worker("require('node:worker_threads').workerData.on('message', () => {})", {
      eval: true,
      workerData: port1,
      transferList: [port1],
    });
    await new Promise((resolve) => worker.once("online", resolve));
    const rejected = expect(asker.callTool(call(0))).rejects.toBeInstanceOf(PeerGone);
    await worker.terminate();
    await rejected;
  });

  test("within one thread the same checks and copies hold", async () => {
    const seen: unknown[] = [];
    const { services: asker } = servicesInThread(
      servicesWith({
        callTool: async ({ input }) => {
          seen.push(input);
          return { content: "ok", isError: false };
        },
      }),
      seededScheduler(() => 0.5),
      "agent",
    );
    const question = call(0);
    expect(await asker.callTool(question)).toEqual({ content: "ok", isError: false });
    expect(seen[0]).toEqual(question.input);
    expect(seen[0]).not.toBe(question.input);
    await expect(asker.callTool({ ...call(1), id: "nonsense" as never })).rejects.toThrow("malformed");
  });
});
