/** What proves a fault: sessions that are given it here, or a test elsewhere. */
export type Proof =
  | { readonly type: "sessions" }
  | { readonly type: "crash-loop" }
  | { readonly type: "test"; readonly file: string; readonly title: string };

export interface Fault {
  readonly number: number;
  readonly name: string;
  /** What a person sees. */
  readonly shown: string;
  /** What is tried again. */
  readonly retried: string;
  /** What is never lost, or never happens. */
  readonly kept: string;
  readonly proofs: readonly Proof[];
}

const sessions: Proof = { type: "sessions" };
const crashLoop: Proof = { type: "crash-loop" };
const test = (file: string, title: string): Proof => ({ type: "test", file, title });

const MODEL = "model/faults.test.ts";
const GOVERNOR = "model/governor.test.ts";

const row = (
  number: number,
  name: string,
  shown: string,
  retried: string,
  kept: string,
  ...proofs: readonly Proof[]
): Fault => ({ number, name, shown, retried, kept, proofs });

/** The faults of a model, of threads, of the journal and of processes, by their numbers in the fault plan. */
export const faults: readonly Fault[] = [
  row(
    1,
    "429 with retry-after",
    "a countdown with the reason",
    "after at least that long",
    "prompt, turns",
    sessions,
    test(
      MODEL,
      "reads how long to wait in milliseconds, seconds and as a date of the server's clock (faults 1 and 28)",
    ),
    test(GOVERNOR, "everyone waits at least so long, those who did not ask included (fault 1)"),
  ),
  row(2, "a spent limit", "one sentence, at once", "nothing", "what was found before it", sessions),
  row(
    3,
    "529 three times",
    "a countdown before each try",
    "with longer and longer pauses",
    "the turn",
    sessions,
    test(
      GOVERNOR,
      "three refusals, then a reply: it waits longer each time and counts down before each try (fault 3)",
    ),
  ),
  row(
    4,
    "529 for ever",
    "a sentence that says how long it was tried",
    "until patience is spent",
    "the session: the next prompt works",
    sessions,
    test(
      GOVERNOR,
      "refused without end, it gives up when its retry budget is spent, and says how long it tried (fault 4)",
    ),
  ),
  row(
    5,
    "a page of HTML with a 5xx",
    "that the server failed, never the page",
    "like 3",
    "the turn",
    sessions,
  ),
  row(6, "400", "the server's sentence", "nothing", "the session", sessions),
  row(
    7,
    "401, 403",
    "a sentence with what to set; no key",
    "nothing",
    "the session",
    sessions,
    test(MODEL, "a key that the server repeats is not printed (fault 7)"),
  ),
  row(
    8,
    "413",
    "that it is too large",
    "once, smaller, where something can go",
    "the history",
    sessions,
    test("actors/compaction.test.ts", "a server that finds the conversation too large (fault 8)"),
  ),
  row(
    9,
    "no connection, or reset before the headers",
    "the cause",
    "like 3",
    "the turn",
    sessions,
    test(MODEL, "refused, unknown and reset before any answer each say what it was (fault 9)"),
  ),
  row(
    10,
    "a wrong certificate",
    "that it is one, and what to do",
    "nothing",
    "the session",
    test(MODEL, "what does not speak TLS, or shows a wrong certificate, is not tried again (fault 10)"),
  ),
  row(
    11,
    "an error event in the stream",
    "a countdown",
    "the request; its calls never ran",
    "the turn",
    sessions,
    test(MODEL, "an error event ends it with its own kind, what was said is kept (fault 11)"),
  ),
  row(12, "the socket closed in a text", "a countdown", "the request", "the turn", sessions),
  row(
    13,
    "the socket closed in a call",
    "a countdown",
    "the request; the half call never runs",
    "the turn",
    sessions,
  ),
  row(14, "closed before message_stop", "nothing", "nothing: the reply was whole", "the reply", sessions),
  row(
    15,
    "a byte now and then",
    "that it is silent, and until when",
    "after the time for silence",
    "the turn",
    sessions,
    test(MODEL, "no answer, one byte, a stall and nothing but pings are all silence (faults 15, 16)"),
  ),
  row(16, "nothing but pings", "like 15", "like 15", "the turn", sessions),
  row(17, "data that is no JSON", "a countdown", "once", "the turn", sessions),
  row(
    18,
    "a call's input that is no JSON",
    "nothing",
    "by the model, which is told",
    "no input is guessed, nothing runs",
    sessions,
  ),
  row(
    19,
    "a character split between chunks",
    "nothing",
    "nothing",
    "every character",
    sessions,
    test(
      "model/streaming.test.ts",
      "any cut of the bytes, whatever the line ends, gives the same reply (faults 19, 21)",
    ),
  ),
  row(
    20,
    "half a character at the end",
    "a countdown",
    "the request",
    "stored text is valid",
    sessions,
    test(MODEL, "a character that is cut off at the end leaves valid text (fault 20)"),
  ),
  row(
    21,
    "events cut anywhere, other line ends, a byte order mark",
    "nothing",
    "nothing",
    "the reply",
    sessions,
  ),
  row(
    22,
    "a block twice",
    "a countdown",
    "once",
    "no call runs twice",
    sessions,
    test(
      MODEL,
      "a block that begins twice, a second message, and pieces of no block are broken protocols (fault 22)",
    ),
  ),
  row(
    23,
    "events nobody knows",
    "nothing",
    "nothing",
    "the reply",
    sessions,
    test(MODEL, "what is unknown is kept or passed over, never fatal (fault 23)"),
  ),
  row(
    24,
    "an empty reply",
    "a countdown, then a sentence",
    "once",
    "the turn",
    sessions,
    test(
      GOVERNOR,
      "a stream that made no sense is tried one more time (fault 24), a final failure not at all",
    ),
  ),
  row(
    25,
    "64 MB in one piece",
    "that it was too much",
    "nothing",
    "memory stays bounded",
    test(MODEL, "one delta of more than 64 MB is cut off, not kept, and not asked for again (fault 25)"),
    test(MODEL, "a process that is sent 64 MB in one delta does not grow by much more than that (fault 25)"),
  ),
  row(
    26,
    "two calls with one id",
    "nothing",
    "nothing",
    "each call has its one result",
    sessions,
    test(
      MODEL,
      "two calls with one id: the same call is one call, another one gets an id of its own (fault 26)",
    ),
  ),
  row(
    27,
    "the machine slept",
    "that it slept",
    "the request",
    "the turn; nobody's time",
    test(MODEL, "a machine that slept says so, and the request can be made again (fault 27)"),
    test(
      "features/watch/watch.test.ts",
      "does not count the time the machine slept, and reports it (fault 27)",
    ),
  ),
  row(
    28,
    "the wall clock goes back",
    "nothing",
    "nothing",
    "timers and order, which are not the wall's",
    test(
      "model/faults.test.ts",
      "reads how long to wait in milliseconds, seconds and as a date of the server's clock (faults 1 and 28)",
    ),
  ),
  row(
    29,
    "a flood of output",
    "its two ends, and where the rest is",
    "nothing",
    "memory stays bounded",
    sessions,
    test(
      "processes/file-output.test.ts",
      "200 MB of output cost neither this process nor its host their memory (A7, fault 29)",
    ),
  ),
  row(
    30,
    "NUL, binary, half characters, escapes in output",
    "what is text of it",
    "nothing",
    "the next request is valid",
    sessions,
    test("tools/bash.test.ts", "hostile output is harmless (fault 30)"),
  ),
  row(
    31,
    "a command deaf to TERM",
    "that its time was up, and what it said",
    "nothing",
    "its output",
    sessions,
    test(
      "processes/child.test.ts",
      "a timeout ends a child that ignores TERM, and its grandchildren, and keeps what they said (fault 31)",
    ),
  ),
  row(
    32,
    "a command that leaves a daemon",
    "that it was ended with the command",
    "nothing",
    "no process is left",
    sessions,
    test("tools/bash.test.ts", "children that it left running are said to have ended with it (fault 32)"),
  ),
  row(
    33,
    "a command that asks",
    "what it makes of the end of its input",
    "nothing",
    "time",
    sessions,
    test("tools/bash.test.ts", "stdin is at its end: a command that asks does not wait (fault 33)"),
  ),
  row(
    34,
    "a command that closes its output and lives",
    "its exit code",
    "nothing",
    "the process decides, not the pipe",
    sessions,
    test(
      "processes/child.test.ts",
      "one that left the group and holds the pipe does not hold up the result (fault 34)",
    ),
  ),
  row(35, "a command that wants all memory", "how it ended", "nothing", "the session lives", sessions),
  row(
    36,
    "nothing can be started, or the directory is gone",
    "a sentence",
    "nothing",
    "the session goes on in its root",
    sessions,
    test("tools/bash.test.ts", "a directory that is gone is left for the root, which is said (fault 36)"),
    test(
      "processes/processes.test.ts",
      "with too many open files a run is not started and says so, and the host goes on",
    ),
  ),
  row(
    37,
    "SIGKILL while a record is written",
    "that a torn line was left out",
    "what was not durable",
    "every whole line",
    crashLoop,
    test(
      "journal/going-on.test.ts",
      "resumes a journal cut at any byte: keeps whole lines, reports the torn one, adds new ones (fault 37)",
    ),
  ),
  row(
    38,
    "SIGKILL between a call and its result",
    "result unknown",
    "pure reads only",
    "no side effect happens twice",
    crashLoop,
    test(
      "supervisor/resume-cut.test.ts",
      "a session that is cut off after any record goes on to its end, and does nothing twice (C23, D1, A19.10)",
    ),
    test(
      "faults/answered.test.ts",
      "who had answered when the program died is not asked again, and keeps what it had answered (D1, fault 38)",
    ),
  ),
  row(
    41,
    "a damaged line in the middle",
    "which one was left out",
    "nothing",
    "all lines after it",
    test("journal/going-on.test.ts", "after a damaged last line no number is given twice (fault 41)"),
    test(
      "supervisor/resume.test.ts",
      "a torn last line and a damaged middle one are reported, and the session continues (fault 37, 41)",
    ),
  ),
  row(
    42,
    "a full disk",
    "that it is full; calls with side effects are refused",
    "the notes, once there is room",
    "every earlier record",
    test(
      "journal/full-disk.test.ts",
      "a full disk is said, refuses side effects, and is got over with every note (fault 42)",
    ),
  ),
  row(
    43,
    "a full disk under an edited file",
    "an error",
    "nothing",
    "the old bytes",
    test(
      "tools/bad-input.test.ts",
      "Edit and NotebookEdit on a full disk leave the old bytes, and work once there is room (fault 43)",
    ),
  ),
  row(
    44,
    "a home that cannot be written",
    "which folder, and what to do",
    "nothing",
    "nothing is begun in silence",
    test(
      "journal/full-disk.test.ts",
      "a home on a read-only disk is said with what to do, by the lock and by the journal (fault 44)",
    ),
  ),
  row(
    45,
    "a failed fsync",
    "where neither file can be had: that the journal has ended",
    "into a new file",
    "every record that was answered",
    test(
      "journal/going-on.test.ts",
      "a failed fsync of a real file: all is in a private new file in its place (fault 45)",
    ),
    test(
      "journal/writer-death.test.ts",
      "a disk that can be believed no more ends the journal: all who wait learn it, and no thread is tried again (fault 45)",
    ),
  ),
  row(
    46,
    "two processes, one session",
    "who has it",
    "nothing",
    "one writer",
    crashLoop,
    test(
      "journal/session-lock.test.ts",
      "a session is one process's: a second is refused with who has it, until it is given back (fault 46)",
    ),
    test(
      "journal/session-lock.test.ts",
      "takes over the lock of a killed process and says so, even before it is reaped (fault 46)",
    ),
  ),
  row(
    51,
    "an agent out of memory",
    "out_of_memory, with its last words",
    "nothing",
    "its siblings; its last words",
    test(
      "faults/memory.test.ts",
      "one of many agents exhausts its memory with arrays and strings: it ends out_of_memory with its last text, all others finish (D3, fault 51)",
    ),
    test(
      "actors/how-agents-end.test.ts",
      "an agent that dies among eight leaves seven good summaries and one typed failure (A20.2)",
    ),
  ),
  row(
    52,
    "an agent's code that spins",
    "what it is stuck in; then timed_out",
    "nothing",
    "its siblings",
    test(
      "features/watch/fault-matrix.test.ts",
      "ten that misbehave get ten typed ends, and their siblings lose nothing (D2, faults 51-53)",
    ),
    test(
      "features/watch/watch.test.ts",
      "warns once of a stuck agent, and ends it once, with what it was stuck in (C2, D2, fault 52)",
    ),
  ),
  row(
    53,
    "an agent's code that throws, rejects or exits",
    "failed, with the reason",
    "nothing",
    "its siblings",
    test(
      "features/watch/fault-matrix.test.ts",
      "ten that misbehave get ten typed ends, and their siblings lose nothing (D2, faults 51-53)",
    ),
  ),
  row(
    54,
    "50 agents, a server for 2",
    "that they wait",
    "by turns",
    "the main conversation's place",
    test(
      "model/under-limits.test.ts",
      "2 in parallel, 50 agents: that is found out and kept, the lead never waits for the queue (fault 54)",
    ),
  ),
  row(
    55,
    "a question that nobody answers",
    "that it was denied",
    "nothing",
    "nothing runs without a yes",
    test("policy/asking/ask-broker.test.ts", "no clear yes is a no, and never a hang (fault 55)"),
  ),
  row(
    61,
    "the permission engine throws",
    "that the call was denied",
    "nothing",
    "nothing runs without a yes",
    test(
      "faults/engine-throws.test.ts",
      "a permission check that throws is a no, said with its reason, and never a yes (fault 61)",
    ),
  ),
  row(
    63,
    "SIGTERM, SIGHUP, Ctrl-C twice",
    "how to go on",
    "nothing",
    "the journal, within a second",
    test("cli/sessions-run.test.ts", "%s leaves within a second, whatever does not end (fault 63)"),
    test("e2e/stopping.test.ts", "stopping in a terminal (C21, fault 63)"),
  ),
  row(
    64,
    "the reader of the output is gone",
    "nothing",
    "nothing",
    "the exit code, whole lines",
    test(
      "cli/sessions-run.test.ts",
      "ends quietly with the conversation's own code when the reader has gone",
    ),
  ),
  row(
    65,
    "one column, other sizes, no terminal, a dumb one",
    "what fits",
    "nothing",
    "the program",
    test("cli/live-tree.test.ts", "fits one column"),
    test("cli/progress.test.ts", "a resize repaints in the new width"),
    test("cli/progress.test.ts", "a dumb terminal is treated the same"),
  ),
  row(
    66,
    "compaction fails or is killed",
    "that it did not work",
    "later",
    "the whole history",
    test(
      "actors/compaction.test.ts",
      "an answer that does not come, is empty or refused leaves the history as it was, is tried again and then left (fault 66)",
    ),
    test(
      "actors/compaction-resume.test.ts",
      "a thread that is killed while a summary is written leaves the history as it was (fault 66)",
    ),
  ),
  row(
    67,
    "a journal of another version",
    "why a newer one is refused",
    "nothing",
    "an older one, whole",
    test(
      "journal/migrate.test.ts",
      "the record of an older version passes each step since then, in order, with what earlier ones left (fault 67)",
    ),
  ),
  row(
    68,
    "the main thread stands still",
    "that it did, and for how long",
    "nothing",
    "nobody is blamed for it",
    test(
      "features/watch/watch.test.ts",
      "reports a main thread that was blocked for 5 s, and blames no agent (fault 68)",
    ),
  ),
];
