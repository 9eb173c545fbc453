import { apiError, type RecordedRequest, type ServedReply } from "../support/messages-server.ts";
import { goldens } from "./goldens.ts";
import { acting, type Session } from "./session.ts";

const soon: ServedReply = {
  ...apiError(429, "rate_limit_error", "slow down"),
  headers: { "retry-after": "0" },
};
const patient = { settings: { troupe: { patienceMs: 20_000 } } };
const impatient = { settings: { troupe: { patienceMs: 0 } } };
const asked = (
  name: string,
  main: NonNullable<Session["replies"]>[string],
  more: Partial<Session> = {},
): Session => ({ name, run: ["-p go --output-format json"], replies: { main }, ...more });
const read = [["Read", { file_path: "$P/a.txt" }]] as const;
const long = (n: number): ServedReply => ({
  calls: [{ id: `toolu_${n}`, name: "Read", input: { file_path: "$P/a.txt" } }],
  usage: { input_tokens: 9000 * n },
});

const steps = [0, 1, 2, 3, 4, 5, 6, 7];
/** Reads one of the files; the server counts four characters to a token. */
const reading =
  (n: number) =>
  ({ rawBody }: RecordedRequest): ServedReply => ({
    calls: [{ id: `toolu_${n}`, name: "Read", input: { file_path: `$P/f${n}.txt` } }],
    usage: { input_tokens: Math.ceil(rawBody.length / 4) },
  });

goldens("models", [
  asked("a rate limit, then an answer", [soon, "There."], patient),
  asked("overloaded, nobody waits", [apiError(529, "overloaded_error", "busy")], impatient),
  asked("no such model", [apiError(404, "not_found_error", "model: none")], impatient),
  asked("a wrong key", [apiError(401, "authentication_error", "invalid x-api-key")], impatient),
  asked(
    "no money left",
    [apiError(400, "invalid_request_error", "Your credit balance is too low")],
    impatient,
  ),
  asked("an error that is no JSON", [{ status: 500, body: "<html>" }], impatient),
  asked(
    "a stream that is cut, then whole",
    [{ text: "Half of it", upTo: "message_delta", ending: "end" }, "Whole."],
    patient,
  ),
  asked("a socket that is reset, then an answer", [{ ending: "reset", upTo: 0 }, "There."], patient),
  asked("an answer that was too long", [
    { text: "Begun", stopReason: "max_tokens" },
    { text: " and ended." },
  ]),
  asked("a refusal", [{ text: "No.", stopReason: "refusal" }]),
  asked("an empty answer", ["", "", ""]),
  asked("the prompt is too long", [
    apiError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "Summary.",
    "There.",
  ]),
  asked("a pause, then the rest", [{ text: "First", stopReason: "pause_turn" }, "rest."]),
  acting(
    "thinking is kept",
    [{ thinking: "Hm.", calls: [{ id: "toolu_1", name: "Read", input: { file_path: "$P/a.txt" } }] }],
    { files: { "a.txt": "a\n" }, settings: { troupe: { thinkingTokens: 2000 } } },
  ),
  acting("another model, effort and limits", [], {
    run: ["-p go --model opus"],
    settings: { effortLevel: "high", troupe: { maxTokens: 1234, aliases: { opus: "big-one" } } },
  }),
  acting(
    "turns are used up",
    Array.from({ length: 4 }, () => read),
    { run: ["-p go --max-turns 2"], files: { "a.txt": "a\n" } },
  ),
  acting(
    "the budget is used up",
    [
      {
        calls: [{ id: "toolu_1", name: "Read", input: { file_path: "$P/a.txt" } }],
        usage: { input_tokens: 3_000_000 },
      },
      "More.",
    ],
    { run: ["-p go --max-budget-usd 1 --output-format json"], files: { "a.txt": "a\n" } },
  ),
  acting("budgets of agents", [[["Agent", { description: "d", prompt: "#dear" }]]], {
    replies: {
      "#dear": [
        {
          calls: [{ id: "toolu_1", name: "Read", input: { file_path: "$P/a.txt" } }],
          usage: { input_tokens: 50_000 },
        },
        "Spent.",
      ],
      main: [[["Agent", { description: "d", prompt: "#dear" }]]],
    },
    files: { "a.txt": "a\n" },
    settings: { troupe: { agentBudgets: { "general-purpose": { tokens: 20_000 } } } },
  }),
  acting(
    "the same call again and again",
    Array.from({ length: 12 }, () => read),
    { files: { "a.txt": "a\n" } },
  ),
  acting("compaction", [], {
    replies: {
      "Write under these headings": ["The files were read."],
      main: [...steps.map(reading), "Done."],
    },
    files: Object.fromEntries(steps.map((n) => [`f${n}.txt`, `${`${n}`.repeat(1500)}\n`.repeat(4)])),
    settings: { troupe: { contextWindows: { "claude-sonnet-5-5": 20_000 }, maxTokens: 2000 } },
  }),
  acting("compaction switched off", [long(1), long(3), long(4)], {
    files: { "a.txt": "a\n" },
    settings: {
      troupe: { autoCompact: false, contextWindows: { "claude-sonnet-5-5": 30_000 }, maxTokens: 2000 },
    },
  }),
  {
    name: "the offline model answers, edits and runs",
    offline: true,
    files: { "src/routes.ts": "export const routes = ['/a'];\n" },
    run: [
      '-p "where are routes defined?"',
      {
        argv: [
          "-p",
          'create new.txt with "hello" then run "cat new.txt"',
          "--permission-mode",
          "bypassPermissions",
        ],
      },
      "-p hello --output-format json",
    ],
  },
]);
