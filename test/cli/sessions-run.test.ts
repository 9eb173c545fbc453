import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { LAST_CHANCE_MS } from "../../src/cli/interrupts.ts";
import { main } from "../../src/cli/main.ts";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { type CostEstimate, quoteSentence } from "../../src/features/budget/cost-estimate.ts";
import { fleetKeyFile } from "../../src/journal/paths.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { Status, type Summary } from "../../src/mailbox/messages.ts";
import { actor, agentView } from "../support/agent-view.ts";
import { settled } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { screenOf } from "../support/terminal-screen.ts";
import { FakeIO, type FakeIOOptions } from "./fake-io.ts";
import { FakeRuntime, type FakeScript, summary, usage } from "./fake-session.ts";

/** A command that runs; `code` is its end. */
function begin(argv: readonly string[], script: FakeScript = {}, options: FakeIOOptions = {}) {
  const io = new FakeIO(options);
  const runtime = new FakeRuntime(script);
  return { io, runtime, code: main(["--offline", ...argv].filter(once), io, runtime) };
}

/** `--offline` goes after the name of a command. */
function once(word: string, index: number, argv: readonly string[]): boolean {
  return !(word === "--offline" && index === 0 && !argv[1]?.startsWith("-"));
}

async function run(argv: readonly string[], script: FakeScript = {}, options: FakeIOOptions = {}) {
  const { io, runtime, code } = begin(argv, script, options);
  return { code: await code, out: io.out.text, err: io.err.text, io, session: runtime.only };
}

const never = new Promise<Summary>(() => {});

describe("troupe -p", () => {
  test("asks the prompt and prints the answer, and nothing else, on stdout", async () => {
    const { code, out, session } = await run(["-p", "why?"], { answer: () => summary("done", "because") });
    expect({ code, out }).toEqual({ code: 0, out: "because\n" });
    expect(session.prompts).toEqual(["why?"]);
    expect(session.closed).toBe(1);
  });

  test("takes the prompt from stdin, and stdin after the prompt", async () => {
    expect((await run(["-p"], {}, { stdin: "\ufefffrom stdin\n" })).session.prompts).toEqual(["from stdin"]);
    expect((await run(["-p", "review"], {}, { stdin: "a diff\n" })).session.prompts).toEqual([
      "review\n\na diff",
    ]);
    expect((await run(["-p", "alone"], {}, { stdin: "" })).session.prompts).toEqual(["alone"]);
  });

  test("does not wait forever for a pipe that was left open", async () => {
    const stdin = new PassThrough();
    const { io, runtime, code } = begin(["-p", "alone"], {}, { stdin });
    expect(runtime.sessions).toEqual([]);
    await io.clock.advance(3_000);
    expect(await code).toBe(0);
    expect(runtime.only.prompts).toEqual(["alone"]);
    expect(io.err.text).toContain(
      "Nothing came on stdin within 3 s, so it is ignored (< /dev/null skips the wait).",
    );
    expect(stdin.destroyed).toBe(true);
  });

  test("waits for a slow pipe once it has begun to speak", async () => {
    const stdin = new PassThrough();
    const { io, runtime, code } = begin(["-p", "read"], {}, { stdin });
    stdin.write("be");
    await settled();
    await io.clock.advance(60_000);
    stdin.end("gun");
    expect(await code).toBe(0);
    expect(runtime.only.prompts).toEqual(["read\n\nbegun"]);
  });

  test("hands flags, environment and defaults to the session", async () => {
    const argv = [
      "-p",
      "x",
      "--max-turns",
      "9",
      "--permission-mode",
      "bypass",
      "--allowedTools",
      "Read Grep",
    ];
    const more = [
      "--disallowed-tools=Glob",
      "--append-system-prompt",
      "be brief",
      "--add-dir",
      "..",
      "--cwd",
      ".",
    ];
    const home = temporaryFolder();
    const env = {
      TROUPE_MAX_AGENTS: "7",
      ANTHROPIC_DEFAULT_OPUS_MODEL: "big",
      TROUPE_HOME: home,
    };
    const { session } = await run([...argv, ...more], {}, { env, cwd: import.meta.dirname });
    expect(session.options).toMatchObject({
      cwd: import.meta.dirname,
      source: { provider: "offline" },
      aliases: { opus: "big" },
      additionalDirs: [expect.stringMatching(/test$/)],
      permissionMode: "bypassPermissions",
      allowedTools: ["Read", "Grep"],
      disallowedTools: ["Glob"],
      appendSystemPrompt: "be brief",
      limits: { maxAgents: 7, maxTurns: 9 },
      home,
      title: "x",
    });
  });

  test("says once that it uses the offline model, but not where that was asked for", async () => {
    const io = new FakeIO();
    await main(["-p", "x"], io, new FakeRuntime());
    expect(io.err.text.match(/embedded offline model/g)).toHaveLength(1);
    expect((await run(["-p", "x"])).err).toBe("");
  });

  test.each(Status.options)(
    "ends with the right code and words where the conversation ended %s",
    async (status) => {
      const answer = () => summary(status, "text", status === "done" ? undefined : "The reason.");
      const { code, out, err } = await run(["-p", "x"], { answer });
      expect({ code, out }).toEqual({ code: status === "done" ? 0 : 1, out: "text\n" });
      expect(err).toBe(status === "done" ? "" : `${status.replaceAll("_", " ")}: The reason.\n`);
    },
  );

  test.each(["text", "json"])("names each refused call once, without failing for it: %s", async (format) => {
    const denials = ["npm publish", "npm publish", "make"].map((command) => ({
      ...{ actor: MAIN, tool_name: "Bash", tool_use_id: "t1", tool_input: { command } },
      ...({ by: "nobody", reason: "no rule", grants: [`Bash(${command})`] } as const),
    }));
    const { code, err } = await run(["-p", "x", "--output-format", format], { denials });
    expect({ code, err: err.split("\n") }).toEqual({
      code: 0,
      err: [
        "Refused: Bash(npm publish). To allow it: --allowed-tools 'Bash(npm publish)'",
        "Refused: Bash(make). To allow it: --allowed-tools 'Bash(make)'",
        "",
      ],
    });
  });

  test("shows a terminal harmless text, a program the text itself", async () => {
    const answer = () => summary("done", "red \u001b[31mtext\u001b[2J");
    expect((await run(["-p", "x"], { answer }, { stdoutIsTTY: true })).out).toBe("red text\n");
    expect((await run(["-p", "x"], { answer })).out).toBe("red \u001b[31mtext\u001b[2J\n");
  });

  test("waits until the last agent of the tree has ended", async () => {
    const background = agentView({ id: actor(9), parent: MAIN });
    const { runtime, code } = begin(["-p", "x"], {
      answer: (_, session) => {
        session.emit({ type: "agent", view: background });
        return summary("done", "first");
      },
    });
    await runtime.asked(1);
    await settled();
    expect(runtime.only.closed).toBe(0);
    runtime.only.emit({ type: "agent", view: { ...background, state: "ended", summary: summary("done") } });
    expect(await code).toBe(0);
    expect(runtime.only.closed).toBe(1);
  });
});

describe("--output-format json", () => {
  test("is exactly one object with every agent of the tree in spawn order", async () => {
    const answer: FakeScript["answer"] = (_, session) => {
      const agent = { parent: MAIN, state: "ended", startedAt: 100, endedAt: 600.4 } as const;
      const failed = summary("failed", "", "It broke.");
      session.emit({
        type: "agent",
        view: agentView({ ...agent, id: actor(1), summary: summary("done", "found"), usage: usage(7, 3) }),
      });
      session.emit({
        type: "agent",
        view: agentView({ ...agent, id: actor(2), parent: actor(1), depth: 2, summary: failed }),
      });
      return summary("done", "the answer");
    };
    const denials = [
      {
        ...{ actor: actor(1), tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "rm" } },
        ...({ by: "nobody", reason: "no rule", grants: [] } as const),
      },
    ];
    const { code, out } = await run(["-p", "x", "--output-format", "json"], { answer, denials });
    expect(code).toBe(0);
    expect(out.endsWith("}\n")).toBe(true);
    expect(JSON.parse(out)).toEqual({
      type: "result",
      subtype: "success",
      is_error: false,
      status: "done",
      result: "the answer",
      session_id: "session1",
      num_turns: 2,
      duration_ms: 0,
      duration_api_ms: 1235,
      total_cost_usd: 0.25,
      usage: usage(107, 23),
      agents: [
        {
          id: "agent1",
          parent: "main",
          depth: 1,
          type: "Explore",
          description: "a task",
          model: "offline",
          status: "done",
          summary: "found",
          unverified: 0,
          turns: 2,
          usage: usage(100, 20),
          duration_ms: 500,
        },
        expect.objectContaining({
          id: "agent2",
          parent: "agent1",
          depth: 2,
          status: "failed",
          summary: "",
          reason: "It broke.",
        }),
      ],
      permission_denials: [
        { tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "rm" }, agent_id: "agent1" },
      ],
      unfinished: [],
    });
  });

  test.each([
    ["done", "success"],
    ["out_of_turns", "error_max_turns"],
    ["failed", "error_during_execution"],
    ["partial", "partial"],
    ["cancelled", "cancelled"],
    ["timed_out", "timed_out"],
    ["out_of_memory", "out_of_memory"],
    ["over_budget", "over_budget"],
  ] as const)("says of %s that it is %s", async (status, subtype) => {
    const answer = () => summary(status, "", "The reason.");
    const { code, out } = await run(["-p", "x", "--output-format", "json"], { answer });
    const object = JSON.parse(out);
    expect(object).toMatchObject({ subtype, status, is_error: status !== "done", result: "The reason." });
    expect(code).toBe(status === "done" ? 0 : 1);
  });

  test("is still an object where the session refused the prompt", async () => {
    const { code, out } = await run(["-p", "x", "--output-format", "json"], {
      answer: () => new Error("The session is closed."),
    });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      subtype: "error_during_execution",
      result: "The session is closed.",
    });
  });
});

const estimate: CostEstimate = {
  ...{ agents: 2, likelyUsd: 1.5, isKnown: true, mostUsd: 4, ground: "budgets", whose: "session" },
};
/** Above the threshold: asks if it can. */
const quoteOf: NonNullable<FakeScript["quote"]> = async (signal, confirm) => {
  const agreed = (await confirm?.(`${quoteSentence(estimate)} Start them?`, signal)) ?? true;
  const declined = agreed ? null : "The user does not want these agents started.";
  return { estimate, unsaid: null, declined };
};
const asking: FakeScript = { quote: quoteOf, answer: (task) => summary("done", task) };

describe("troupe fanout", () => {
  const script: FakeScript = {
    answer: (task) =>
      task === "bad" ? summary("failed", "so far", "It broke.") : summary("done", `about ${task}`),
  };

  test("prints one summary per task in the order given, not in the order of their ends", async () => {
    let release = (_: Summary) => {};
    const slow = new Promise<Summary>((resolve) => {
      release = resolve;
    });
    const { io, runtime, code } = begin(["fanout", "slow", "quick"], {
      answer: (task) => (task === "slow" ? slow : summary("done", "quickly")),
    });
    await runtime.asked(2);
    release(summary("done", "slowly"));
    expect(await code).toBe(0);
    expect(io.out.text).toBe("## ✓ 1. slow\n\nslowly\n\n## ✓ 2. quick\n\nquickly\n");
    expect(io.err.text).toContain("2 agents · 4 turns · 240 tokens · 0.0 s\n");
  });

  test("reads one task per line from stdin", async () => {
    const { session } = await run(["fanout"], script, { stdin: "one\r\n\n  two  \n三\n" });
    expect(session.spawns.map(({ prompt, type }) => ({ prompt, type }))).toEqual([
      { prompt: "one", type: "Explore" },
      { prompt: "two", type: "Explore" },
      { prompt: "三", type: "Explore" },
    ]);
  });

  test("finds the agent type by any of its names, and limits how many work at the same time", async () => {
    const { session } = await run(["fanout", "--agent", "Reviewer", "--concurrency", "3", "x"], script, {
      env: { TROUPE_MAX_AGENTS: "9" },
    });
    expect(session.spawns[0]?.type).toBe("code-reviewer");
    expect(session.options.limits?.maxAgents).toBe(3);
  });

  test("says before it starts that Explore agents change nothing, where files may be changed", async () => {
    const said = /^Explore agents only read, whatever acceptEdits allows; add --agent general-purpose /m;
    const accepting = ["fanout", "--permission-mode", "acceptEdits", "x"];
    expect((await run(accepting, script)).err).toMatch(said);
    expect((await run([...accepting, "--agent", "Explore"], script)).err).not.toMatch(said);
    expect((await run(["fanout", "x"], script)).err).not.toMatch(said);
  });

  test("has exit code 1 when any task did not end done, and shows what that one had", async () => {
    const { code, out } = await run(["fanout", "good", "bad"], script);
    expect(code).toBe(1);
    expect(out).toBe("## ✓ 1. good\n\nabout good\n\n## ✗ 2. bad (failed)\n\nso far\n\nfailed: It broke.\n");
  });

  test("--json is one object with the results in order and the account", async () => {
    const { code, out } = await run(["fanout", "--json", "bad", "good"], script);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      type: "result",
      subtype: "partial",
      is_error: true,
      results: [
        { task: "bad", id: "agent1", status: "failed", summary: "so far", reason: "It broke.", turns: 2 },
        { task: "good", id: "agent2", status: "done", summary: "about good", duration_ms: 2500 },
      ],
      session_id: "session1",
      num_turns: 4,
      agents: [{ id: "agent1" }, { id: "agent2" }],
      permission_denials: [],
    });
  });

  test("says the estimate before the first agent starts, and has it in the JSON object", async () => {
    const told: string[] = [];
    const { io, code } = begin(["fanout", "--json", "one", "two"], {
      quote: async () => ({ estimate, unsaid: quoteSentence(estimate), declined: null }),
      answer: (task) => {
        told.push(io.err.text);
        return summary("done", task);
      },
    });
    expect(await code).toBe(0);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain("2 agents are likely to cost $1.50 (by past runs), and $4.00 at most");
    expect(JSON.parse(io.out.text)["estimate"]).toEqual({
      ...{ likely_usd: 1.5, most_usd: 4, by_past_runs: true },
    });
  });

  test.each([
    ["y\n", 0, 2],
    ["n\n", 1, 0],
    ["", 1, 0],
  ])("asks at the terminal above the threshold: %j", async (typed, expected, started) => {
    const terminal = { stdin: typed, stdinIsTTY: true, stderrIsTTY: true };
    const { code, out, err, session } = await run(["fanout", "one", "two"], asking, terminal);
    expect(err.split("Start them? [y/N]")).toHaveLength(2);
    expect([code, session.spawns.length]).toEqual([expected, started]);
    if (expected === 1) expect(out).toContain("cancelled: The user does not want these agents started");
  });

  test("asks only if stdin and stderr are terminals", async () => {
    for (const [stdinIsTTY, stderrIsTTY] of [
      [true, false],
      [false, true],
    ] as const) {
      const { code, session } = await run(["fanout", "one", "two"], asking, { stdinIsTTY, stderrIsTTY });
      expect([code, session.spawns.length]).toEqual([0, 2]);
    }
  });

  test("ends the question with the command", async () => {
    const terminal = { stdin: new PassThrough(), stdinIsTTY: true, stderrIsTTY: true };
    const asked = Promise.withResolvers<void>();
    const { io, runtime, code } = begin(
      ["fanout", "one", "two"],
      {
        quote(signal, confirm) {
          asked.resolve();
          return quoteOf(signal, confirm);
        },
      },
      terminal,
    );
    await asked.promise;
    io.send("SIGINT");
    expect(await code).toBe(130);
    expect(runtime.only.spawns).toEqual([]);
  });

  test("an agent that cannot start leaves the others alone", async () => {
    const answer: FakeScript["answer"] = (task) =>
      task === "bad" ? new Error("The thread did not start.") : summary("done", "fine");
    const { code, out } = await run(["fanout", "--json", "bad", "good"], { answer });
    expect(code).toBe(1);
    expect(JSON.parse(out).results).toMatchObject([
      { id: null, type: "Explore", status: "failed", reason: "The thread did not start." },
      { status: "done" },
    ]);
  });
});

describe("troupe start", () => {
  test("asks three questions of its own, in the background of one conversation, and ends with the account", async () => {
    const answer: FakeScript["answer"] = () => summary("done", "Here is what they found.");
    const { code, out, session } = await run(["start"], { answer });
    expect(code).toBe(0);
    expect(session.prompts[0]?.match(/^in background: .+\?$/gm)).toHaveLength(3);
    const [text, , account] = out.trimEnd().split("\n");
    expect(text).toBe("Here is what they found.");
    expect(account).toMatch(/^0 agents · 2 turns · .* tokens · 0\.0 s$/);
  });

  test("a conversation that did not end done is exit code 1, its answer, and a sentence", async () => {
    const answer: FakeScript["answer"] = () => summary("failed", "so far", "It broke.");
    const { code, out, err } = await run(["start"], { answer });
    expect(code).toBe(1);
    expect(out).toMatch(/^so far\n/);
    expect(err).toContain("failed: It broke.");
  });

  test("asks about Troupe in its own repository only", async () => {
    const own = await run(["start"], {}, { cwd: `${import.meta.dirname}/../..` });
    const other = await run(["start"], {}, { cwd: import.meta.dirname });
    expect(own.session.prompts[0]).toContain("actors");
    expect(other.session.prompts[0]).not.toContain("actors");
  });

  test("asks the questions it is given", async () => {
    const { session } = await run(["start", "first?", "second?"]);
    expect(session.spawns.map(({ prompt }) => prompt)).toEqual(["first?", "second?"]);
  });

  test("shows the live tree on a terminal, and the results below it", async () => {
    const { io } = await run(["start", "where?"], {}, { stderrIsTTY: true });
    expect((await screenOf(io.err.text, 400)).at(-3)).toMatch(
      /^✓ Explore · where\? {2}done .* 2 turns · 120 tok · 2\.5 s$/,
    );
  });
});

describe("a signal", () => {
  const hanging: FakeScript = { answer: (task) => (task === "quick" ? summary("done", "found it") : never) };

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s prints what is known, closes the session and ends with %i", async (signal, expected) => {
    const { io, runtime, code } = begin(["fanout", "quick", "slow"], hanging);
    await runtime.asked(2);
    io.send(signal);
    expect(await code).toBe(expected);
    expect(io.out.text).toBe(
      "## ✓ 1. quick\n\nfound it\n\n## ⊘ 2. slow (cancelled)\n\nso far\n\ncancelled: It was cancelled.\n",
    );
    expect(io.err.text).toContain("Stopping; what is known so far follows.");
    expect(io.err.text).toContain("\ntroupe --resume session1 resumes it.\n");
    expect(runtime.only.closed).toBe(1);
    expect(io.left).toEqual([]);
    expect(io.signalListeners).toBe(0);
    expect(io.clock.pending).toBe(0);
  });

  test("says how to resume with the engine that was given, but not its password", async () => {
    const home = temporaryFolder();
    await createFleetKey(fleetKeyFile(home));
    const argv = ["fanout", "slow", "--runners", "--engine", "redis://:secret@localhost:6379"];
    const { io, runtime, code } = begin(argv, hanging, { env: { TROUPE_HOME: home } });
    await runtime.asked(1);
    io.send("SIGINT");
    await code;
    expect(io.err.text).toContain("\ntroupe --resume session1 --engine redis://localhost:6379 resumes it.\n");
  });

  test("leaves JSON one valid object", async () => {
    const { io, runtime, code } = begin(["-p", "x", "--output-format", "json"], hanging);
    await runtime.asked(1);
    io.send("SIGINT");
    expect(await code).toBe(130);
    expect(JSON.parse(io.out.text)).toMatchObject({ subtype: "cancelled", is_error: true, result: "so far" });
  });

  test("a second signal leaves a last chance to close, a third ends the process (A5.11)", async () => {
    const hangs = { ...hanging, onClose: () => new Promise<void>(() => {}) };
    const { io, runtime } = begin(["fanout", "slow"], hangs);
    await runtime.asked(1);
    io.send("SIGINT");
    io.send("SIGINT");
    expect(io.left).toEqual([]);
    await runtime.closing();
    await io.clock.advance(LAST_CHANCE_MS);
    expect(io.left).toEqual([130]);
    io.send("SIGTERM");
    expect(io.left).toEqual([130, 143]);
    expect(io.err.text).toContain("troupe --resume session1 resumes it.\n");
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s leaves within a second, whatever does not end (fault 63)", async (signal, expected) => {
    const { io, runtime } = begin(["-p", "x"], {
      answer: (_, session) => {
        session.emit({ type: "agent", view: agentView({ id: actor(9), parent: MAIN }) });
        return summary("done", "the answer");
      },
      onClose: () => new Promise<void>(() => {}),
    });
    await runtime.asked(1);
    await settled();
    io.send(signal);
    await io.clock.advance(999);
    expect(io.out.text).toBe("the answer\n");
    expect(runtime.only.closed).toBe(1);
    expect(io.left[0]).toBe(expected);
  });

  test("cancels background agents too", async () => {
    const { io, runtime, code } = begin(["-p", "x"], {
      answer: (_, session) => {
        session.emit({ type: "agent", view: agentView({ id: actor(9), parent: MAIN }) });
        return summary("done", "answer");
      },
    });
    await runtime.asked(1);
    await settled();
    io.send("SIGTERM");
    expect(runtime.only.cancelled).toEqual([{ actor: actor(9), reason: "It was stopped (SIGTERM)." }]);
    // The fake never ends it: what is known is printed all the same.
    await io.clock.advance(500);
    expect(await code).toBe(143);
    expect(io.out.text).toBe("answer\n");
  });
});

describe("a session that does not close", () => {
  test("is left after ten seconds, with its results printed and a word about it", async () => {
    const { io, runtime, code } = begin(["-p", "x"], { onClose: () => new Promise(() => {}) });
    await runtime.closing();
    await io.clock.advance(10_000);
    expect(await code).toBe(0);
    expect(io.left).toEqual([0]);
    expect(io.out.text).toBe("an answer\n");
    expect(io.err.text).toContain("The session did not close within 10 s; it is abandoned.\n");
  });
});

describe("an output that cannot be written", () => {
  const failing = (code: string) => {
    const io = new FakeIO();
    io.out.failure = Object.assign(new Error(`${code}: write failed`), { code });
    return io;
  };

  test("ends quietly with the conversation's own code when the reader has gone", async () => {
    const io = failing("EPIPE");
    const runtime = new FakeRuntime();
    expect(await main(["-p", "x", "--offline"], io, runtime)).toBe(0);
    expect(io.err.text).toBe("");
    expect(runtime.only.closed).toBe(1);
    const failed = new FakeRuntime({ answer: () => summary("failed", "text") });
    expect(await main(["fanout", "--offline", "x"], failing("EPIPE"), failed)).toBe(1);
  });

  test("is an error when the disk is full, and the session is closed all the same", async () => {
    const io = failing("ENOSPC");
    const runtime = new FakeRuntime();
    expect(await main(["-p", "x", "--offline"], io, runtime)).toBe(1);
    expect(io.err.text).toBe("troupe: ENOSPC: write failed\n");
    expect(runtime.only.closed).toBe(1);
  });
});

describe("troupe agents", () => {
  const list = async (...argv: string[]) => {
    const io = new FakeIO();
    expect(await main(["agents", ...argv], io, new FakeRuntime())).toBe(0);
    return io.out.text;
  };

  test("lists types, other names, tools and model", async () => {
    expect(await list()).toBe(
      [
        "Explore",
        "  Finds things.",
        "  tools: Read, Glob, Grep",
        "  model: the session's",
        "",
        "code-reviewer (also reviewer)",
        "  Finds problems.",
        "  tools: Read",
        "  model: opus",
        "",
      ].join("\n"),
    );
  });

  test("--json is an object of agents and of what is wrong with files", async () => {
    const told = JSON.parse(await list("--json"));
    expect(told).toMatchObject({ agents: [{ name: "Explore" }, {}], problems: [], replaced: [], notes: [] });
  });
});
