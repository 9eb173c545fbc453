import type { ServedCall, ServedReply } from "../support/messages-server.ts";
import { apiError, eventsOf, streamOf } from "../support/messages-server.ts";
import { bash } from "./play.ts";
import type { Seeded } from "./seeded.ts";

/** A fault of the model's side, at the n-th request of one part of a play. */
export interface ModelInjection {
  readonly kind: "model";
  /** Which request of its agent (default: any, by the seed). The first has two calls, the third is the report. */
  readonly nth?: number;
  /** How often in a row it happens; for ever where it is left out. */
  readonly times?: number;
  reply(reply: ServedReply, random: Seeded): ServedReply;
  /** `recovers`: as if nothing had happened. `fails`: that part ends with this reason, and the session goes on. */
  readonly outcome: { readonly type: "recovers" } | { readonly type: "fails"; readonly reason: RegExp };
  /** Commands of its agent that do not happen though it recovers. */
  readonly without?: readonly string[];
  /** Requests that have the fault: no fewer, no more. What is retried has it again. */
  readonly tries: readonly [number, number];
  /** The person is told that it is waited for. */
  readonly saysWaiting?: RegExp | undefined;
  readonly limits?: Readonly<Record<string, number>>;
  /** It shares its session with no other fault, by its limits. */
  readonly alone?: true;
}

/** A command that is the fault itself; the session goes on. */
export interface CommandInjection {
  readonly kind: "command";
  readonly call: ServedCall;
  /** What the model is told. */
  readonly told: RegExp;
  readonly outcome?: undefined;
}

export type Injection = ModelInjection | CommandInjection;

const recovers = { type: "recovers" } as const;
const PATIENT = { patienceMs: 20_000 };
/** Its streams are given up soon, and yet not because the machine is busy. */
const WATCHFUL = { limits: { ...PATIENT, idleMs: 2_000 } };

const broken = (reply: ModelInjection["reply"], more: Partial<ModelInjection> = {}): ModelInjection => ({
  ...{ kind: "model", reply, times: 1, outcome: recovers, tries: [1, 1], limits: PATIENT, saysWaiting: /./ },
  ...more,
});

const refused = (
  answer: ServedReply,
  reason: RegExp,
  tries: readonly [number, number] = [1, 1],
): ModelInjection => ({
  ...{ kind: "model", reply: () => answer, outcome: { type: "fails", reason }, tries, limits: PATIENT },
});

/** The fault's bytes in place of a reply's, whatever the reply is. */
const bytes = (of: (whole: Buffer, random: Seeded) => readonly (string | Uint8Array)[]): ModelInjection =>
  broken((reply, random) => ({ bytes: of(streamOf(reply), random) }), { saysWaiting: undefined });

/** By their numbers in the list of faults. */
export const injections: ReadonlyMap<number, readonly Injection[]> = new Map<number, readonly Injection[]>([
  [
    1,
    [
      broken(() => ({ ...apiError(429, "rate_limit_error", "slow"), headers: { "retry-after-ms": "60" } }), {
        saysWaiting: /rate/i,
      }),
    ],
  ],
  [
    2,
    [refused(apiError(429, "rate_limit_error", "no more", "enforced_spend_limit_reached"), /spending limit/)],
  ],
  [
    3,
    [
      broken(() => apiError(529, "overloaded_error", "busy"), {
        times: 3,
        tries: [3, 3],
        saysWaiting: /overloaded/,
      }),
    ],
  ],
  [
    4,
    [
      {
        ...refused(apiError(529, "overloaded_error", "busy"), /overloaded/, [2, 5]),
        // By default its model would be paused (test/model/pauses.test.ts).
        limits: { patienceMs: 3_000, limitPatienceMs: 0 },
        alone: true as const,
      },
    ],
  ],
  [
    5,
    [
      broken(() => ({
        status: 502,
        body: "<html><h1>Bad gateway</h1></html>",
        headers: { "content-type": "text/html" },
      })),
    ],
  ],
  [6, [refused(apiError(400, "invalid_request_error", "messages.0: bad"), /messages\.0: bad/)]],
  [7, [refused(apiError(401, "authentication_error", "invalid x-api-key"), /ANTHROPIC_API_KEY/)]],
  [8, [refused(apiError(413, "request_too_large", "big"), /too large/, [1, 2])]],
  // Twice: what an idle connection ends with is sent again on a new one, without a word.
  [
    9,
    [
      broken(() => ({ bytes: [], ending: "reset" }), {
        ...{ times: 2, tries: [2, 2], saysWaiting: /reset|connection/i },
      }),
    ],
  ],
  [
    11,
    [
      broken((reply) => ({
        events: [
          ...eventsOf(reply).slice(0, 3),
          { type: "error", error: { type: "overloaded_error", message: "busy" } },
        ],
      })),
    ],
  ],
  [12, [broken((reply) => ({ ...reply, upTo: "content_block_stop", ending: "reset" }))]],
  [13, [broken((reply) => ({ ...reply, upTo: "echo ", ending: "reset" }), { nth: 0 })]],
  [
    14,
    [
      broken((reply) => ({ ...reply, upTo: "event: message_stop", ending: "reset" }), {
        saysWaiting: undefined,
      }),
    ],
  ],
  [15, [broken((reply) => ({ ...reply, upTo: 40, ending: "stall" }), WATCHFUL)]],
  [
    16,
    [
      broken(
        (reply) => ({ ...reply, upTo: "event: content_block_start", ending: "pings", pingMs: 20 }),
        WATCHFUL,
      ),
    ],
  ],
  [
    17,
    [
      broken((reply) => ({
        bytes: [
          streamOf(reply)
            .toString("utf8")
            .replace('{"type":"content_block_delta"', '{"type":"content_block_delta'),
        ],
      })),
    ],
  ],
  [
    18,
    [
      broken(
        (reply) => ({
          ...reply,
          calls: (reply.calls ?? []).map((call) => ({ ...call, rawInput: '{"command": "echo' })),
        }),
        { nth: 0, saysWaiting: undefined, without: ["1", "1.b"] },
      ),
    ],
  ],
  [19, [bytes((whole) => [...whole].map((byte) => Uint8Array.of(byte)))]],
  [
    20,
    [
      broken(
        (reply) => {
          const whole = streamOf(reply);
          return { bytes: [whole.subarray(0, whole.indexOf(Buffer.from("é")) + 1)] };
        },
        { nth: 2 },
      ),
    ],
  ],
  [
    21,
    [
      bytes((whole, random) => {
        const text = Buffer.from(
          `\ufeff${whole.toString("utf8").replaceAll("\n", random.pick(["\r\n", "\r", "\n"]))}`,
        );
        const cut = random.between(1, text.length - 1);
        return [text.subarray(0, cut), text.subarray(cut)];
      }),
    ],
  ],
  [
    22,
    [
      broken((reply) => {
        const events = eventsOf(reply);
        return { events: [...events.slice(0, 2), ...events.slice(1)] };
      }),
    ],
  ],
  [
    23,
    [
      broken(
        (reply) => {
          const [start, ...rest] = eventsOf(reply);
          return { events: [...(start ? [start] : []), { type: "mystery", of: "a newer API" }, ...rest] };
        },
        { saysWaiting: undefined },
      ),
    ],
  ],
  [
    24,
    [
      broken((reply) => ({
        events: eventsOf({ ...reply, stopReason: null }).filter(
          ({ type }) => !type.startsWith("content_block"),
        ),
      })),
    ],
  ],
  [
    26,
    [
      broken(
        (reply) => ({ ...reply, calls: (reply.calls ?? []).map((call) => ({ ...call, id: "toolu_same" })) }),
        { nth: 0, saysWaiting: undefined },
      ),
    ],
  ],
  [29, [{ kind: "command", call: bash("head -c 40000000 /dev/zero | tr '\\0' x"), told: /xxxx/ }]],
  [30, [{ kind: "command", call: bash("printf 'a\\000b\\377\\355\\240\\275\\033[31mred\\n'"), told: /red/ }]],
  [
    31,
    [
      {
        kind: "command",
        call: {
          name: "Bash",
          input: {
            command: "trap '' TERM; echo begun; sleep 60 & wait; sleep 60",
            // Time to say it, on a busy machine too.
            timeout: 2_000,
            description: "d",
          },
        },
        told: /begun/,
      },
    ],
  ],
  [
    32,
    [
      {
        kind: "command",
        call: bash("setsid sleep 300 > /dev/null 2>&1 < /dev/null & echo left"),
        told: /left/,
      },
    ],
  ],
  [33, [{ kind: "command", call: bash('read line; echo "got <$line>"'), told: /got <>/ }]],
  [34, [{ kind: "command", call: bash("exec 1>&- 2>&-; sleep 0.2; exit 7"), told: /7/ }]],
  [
    35,
    [
      {
        kind: "command",
        call: bash("ulimit -v 300000; x=$(head -c 900000000 /dev/zero | tr '\\0' y); echo after"),
        told: /./,
      },
    ],
  ],
  [
    36,
    [
      {
        kind: "command",
        call: bash('mkdir gone; cd gone; rmdir ../gone; ls; echo "from $(pwd)"'),
        told: /gone/,
      },
    ],
  ],
]);
