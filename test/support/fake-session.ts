import type { Carrier } from "../../src/engine/carrier.ts";
import { openMessage, type Sealer, sealMessage } from "../../src/engine/messages.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { SessionId } from "../../src/mailbox/ids.ts";
import type { ActorSpec } from "../../src/mailbox/messages.ts";
import { type ReliableChannel, reliableChannel } from "../../src/mailbox/rpc/reliable-channel.ts";
import { receive, sender, serve } from "../../src/mailbox/rpc/server.ts";
import type { Handlers } from "../../src/mailbox/rpc/table.ts";
import {
  type agentNotices,
  attemptNotices,
  attemptRequests,
  digestKit,
  nameAttempt,
  type OfferedSpec,
  packKit,
  type RunnerExit,
  type RunnerInfo,
  ToSession,
  topics,
  withoutKit,
} from "../../src/mailbox/runners.ts";

/** A seal that only names its key: a real one is tested for itself. */
export function plainSealer(key: string): Sealer {
  return {
    seal: (topic, text) => JSON.stringify([key, topic, text]),
    open(topic, sealed) {
      const [by, of, text] = JSON.parse(sealed) as string[];
      return by === key && of === topic ? (text ?? null) : null;
    },
    sealBytes: (_, bytes) => bytes,
    openBytes: (_, bytes) => bytes,
  };
}

type Served = Handlers<typeof attemptRequests>;

/** One attempt as its session sees it. */
export interface OfferedAgent {
  /** Method and request, in the order in which they came. */
  readonly log: readonly (readonly [method: string, body: unknown])[];
  readonly reports: readonly unknown[];
  /** Resolves with how it ended on its runner. */
  readonly exited: Promise<RunnerExit>;
  /** Resolves when a request of this method came. */
  came(method: string): Promise<unknown>;
  readonly notify: ReturnType<typeof sender<typeof agentNotices>>;
  /** Tells its runner that it is over. */
  dismiss(): Promise<void>;
}

/** A session that offers agents, and answers their requests without a supervisor. */
export class FakeSession {
  readonly id = SessionId.parse("session1");
  readonly beats: ToSession[] = [];
  readonly runners: RunnerInfo[] = [];
  /** Packets of its agents, from and to the runner. */
  packets = 0;
  private readonly carrier: Carrier;
  private readonly sealer: Sealer;
  private readonly agents = new Map<string, { take(channel: ReliableChannel): void }>();
  private readonly channels = new Map<string, ReliableChannel>();

  private readonly clock: Clock;

  constructor(carrier: Carrier, sealer: Sealer = plainSealer("fleet"), clock: Clock = systemClock) {
    this.carrier = carrier;
    this.clock = clock;
    this.sealer = sealer;
  }

  async open(): Promise<void> {
    await this.carrier.listen(topics.session(this.id), (raw) => void this.receive(raw));
  }

  async publish(topic: string, message: unknown): Promise<void> {
    const text = JSON.stringify(message);
    await this.carrier.publish(topic, await sealMessage(this.carrier, this.sealer, this.id, topic, text));
  }

  /** Offers an attempt; `own` replaces what is answered. */
  async offer(
    spec: ActorSpec,
    given: Partial<OfferedSpec> = {},
    own: Partial<Served> = {},
    pool = "default",
  ): Promise<OfferedAgent> {
    const offer: OfferedSpec = {
      ...{ session: this.id, actor: spec.id, attempt: spec.attempt, version: "1", files: null },
      ...{ spec: withoutKit(spec), kit: digestKit(packKit(spec)) },
      rules: { mode: "default", rules: [] },
      ...given,
    };
    const name = nameAttempt(offer);
    const log: [string, unknown][] = [];
    const reports: unknown[] = [];
    const exited = Promise.withResolvers<RunnerExit>();
    const waiting: { readonly method: string; resolve(body: unknown): void }[] = [];
    let notify: OfferedAgent["notify"] | null = null;
    const answers: Served = {
      ...{ board: () => "go", before: () => ({ type: "go" }), after: () => ({}), reply: () => null },
      ...{ callTool: () => ({ content: "done", isError: false }), turn: () => ({ steer: [] }) },
      ...{
        finish: () => ({ type: "closed" }),
        compacting: () => ({ type: "go", instructions: "" }),
        compacted: () => null,
      },
      ...{ hidden: () => [], kit: () => packKit(spec) },
      files: () => ({ repository: "", commit: "", bundle: null }),
      ...own,
    };
    const logged = Object.fromEntries(
      Object.entries(answers).map(([method, answer]) => [
        method,
        (body: never, serving: never) => {
          log.push([method, body]);
          for (const one of waiting.filter((one) => one.method === method)) one.resolve(body);
          return (answer as (body: never, serving: never) => unknown)(body, serving);
        },
      ]),
    ) as unknown as Served;
    this.agents.set(name, {
      take: (channel) => {
        serve(channel, attemptRequests, logged, { remember: { most: 100, large: new Set() } });
        receive(channel, attemptNotices, {
          report: (report) => void reports.push(report),
          paid: (paid) => void log.push(["paid", paid]),
          exit: exited.resolve,
          remark() {},
          sign() {},
        });
        notify = sender<typeof agentNotices>(channel);
      },
    });
    const body = await sealMessage(this.carrier, this.sealer, this.id, name, JSON.stringify(offer));
    await this.carrier.offer(pool, { id: name, body });
    return {
      ...{ log, reports, exited: exited.promise },
      came: (method) =>
        new Promise((resolve) => {
          const before = log.find(([known]) => known === method);
          if (before) resolve(before[1]);
          else waiting.push({ method, resolve });
        }),
      notify: (name, body) => notify?.(name, body),
      dismiss: async () => {
        const { session, actor, attempt } = offer;
        await this.publish(topics.runner("r1"), { type: "over", session, actor, attempt });
      },
    };
  }

  private async receive(raw: string): Promise<void> {
    const topic = topics.session(this.id);
    const opened = await openMessage(this.carrier, () => this.sealer, topic, raw);
    const message = ToSession.parse(opened?.value);
    if (message.type === "packet") this.packets += 1;
    if (message.type === "beat") this.beats.push(message);
    else if (message.type === "here") this.runners.push(message.runner);
    else this.channelOf(message).receive(message.packet);
  }

  private channelOf(message: Extract<ToSession, { type: "packet" }>): ReliableChannel {
    const { session, actor, attempt, runner } = message;
    const name = nameAttempt(message);
    const known = this.channels.get(name);
    if (known) return known;
    const channel = reliableChannel({
      clock: this.clock,
      send: (packet) => {
        this.packets += 1;
        // What is lost is sent again.
        void this.publish(topics.runner(runner), {
          ...{ type: "packet", session, actor, attempt, packet },
        }).catch(() => {});
      },
    });
    this.channels.set(name, channel);
    this.agents.get(name)?.take(channel);
    return channel;
  }
}
