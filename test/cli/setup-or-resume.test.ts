import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { lockHolder } from "../../src/journal/numbered-lock.ts";
import { fleetKeyFile, journalFile, sessionPaths } from "../../src/journal/paths.ts";
import { processIdentity } from "../../src/journal/process-identity.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { lockSession } from "../../src/journal/session-lock.ts";
import { MAIN, SessionId } from "../../src/mailbox/ids.ts";
import { resumeSession } from "../../src/session/resume-session.ts";
import { summary as ended, linesOf, prompt, sessionEvent, spawn, turnEvent } from "../journal/samples.ts";
import { actor, agentView } from "../support/agent-view.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO, type FakeIOOptions } from "./fake-io.ts";
import { FakeRuntime, type FakeScript, summary } from "./fake-session.ts";

const here = import.meta.dirname;
const ONE = "aaaa1111aaaa1111";
const TWO = "bbbb2222bbbb2222";

const mainSpawn = spawn(MAIN, { parent: null, depth: 0, type: "main", description: "main conversation" });
const answered: readonly SessionEvent[] = [
  mainSpawn,
  turnEvent(MAIN, 1, "the answer"),
  { type: "summary", actor: MAIN, summary: ended("the answer"), durationMs: 1 },
];
const cutOff: readonly SessionEvent[] = [...answered, prompt("and then?")];

interface Kept {
  readonly id?: string;
  readonly cwd?: string;
  readonly events?: readonly SessionEvent[];
  /** After the last whole line. */
  readonly torn?: string;
}

function homeWith(...sessions: readonly Kept[]): string {
  const home = temporaryFolder();
  for (const { id = ONE, cwd = here, events = answered, torn = "" } of sessions) {
    const session = SessionId.parse(id);
    const { folder } = sessionPaths(home, cwd, session);
    mkdirSync(folder, { recursive: true });
    const lines = linesOf([sessionEvent({ id: session, cwd, title: `about ${id}` }), ...events]);
    writeFileSync(journalFile(folder), lines + torn);
  }
  return home;
}

function folderOf(home: string, id = ONE, cwd = here): string {
  return sessionPaths(home, cwd, SessionId.parse(id)).folder;
}

interface Options extends FakeIOOptions {
  readonly home: string;
}

async function run(argv: readonly string[], { home, ...options }: Options, script: FakeScript = {}) {
  const io = new FakeIO({ stdin: "", cwd: here, ...options, env: { TROUPE_HOME: home, ...options.env } });
  const runtime = new FakeRuntime(script);
  const code = await main(argv, io, runtime);
  return { code, out: io.out.text, err: io.err.text, runtime, io };
}

const offline = "--offline";

describe("troupe -p resumes a session", () => {
  test.each([
    ["-p", "--continue", "and now?"],
    ["-p", "-c", "and now?"],
    ["-cp", "and now?"],
    ["-p", "--resume", "aaaa", "and now?"],
    ["-p", "-r", ONE, "and now?"],
    ["--resume=aaaa", "-p", "and now?"],
  ])("%s %s %s %s asks its main conversation one prompt further", async (...argv) => {
    const home = homeWith({});
    const { code, out, runtime } = await run([...argv.filter(Boolean), offline], { home });
    expect({ code, out }).toEqual({ code: 0, out: "an answer\n" });
    const { options, prompts } = runtime.only;
    expect(prompts).toEqual(["and now?"]);
    expect(options).toMatchObject({
      cwd: here,
      title: `about ${ONE}`,
      background: "wait",
      resume: { id: ONE, cwd: here },
    });
  });

  test("--continue means the one that was changed last", async () => {
    const home = homeWith({ id: TWO }, { id: ONE });
    utimesSync(journalFile(folderOf(home, ONE)), 1_000, 1_000);
    utimesSync(journalFile(folderOf(home, TWO)), 2_000, 2_000);
    const { runtime } = await run(["-p", "-c", "x", offline], { home });
    expect(runtime.only.options.resume?.id).toBe(TWO);
    expect(runtime.restores).toMatchObject([{ session: "latest", cwd: here }]);
  });

  test("with the model it was held with, unless another is named", async () => {
    const home = homeWith({});
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_MODEL: "haiku" };
    expect((await run(["-p", "-c", "x"], { home, env })).runtime.only.options.model).toBe("sonnet");
    const other = homeWith({});
    const named = await run(["-p", "-c", "x", "--model", "opus"], { home: other, env });
    expect(named.runtime.only.options.model).toBe("opus");
  });

  test("refuses a role for it: it keeps its own", async () => {
    const home = homeWith({});
    const { code, err } = await run(["-p", "-c", "x", offline, "--system-prompt", "a poet"], { home });
    expect(code).toBe(2);
    expect(err).toContain("one that is resumed keeps its role. Leave it out.");
    expect(lockHolder(folderOf(home))).toBeNull();
  });

  test("without a prompt what was cut off goes on until its end, and the answer is printed", async () => {
    const home = homeWith({ events: cutOff });
    const script: FakeScript = {
      unfinished: { main: true, agents: [1, 2, 3].map((n) => agentView({ id: actor(n) })) },
      answer: () => summary("done", "went on"),
    };
    const { code, out, err, runtime } = await run(["-p", "-c", offline], { home }, script);
    expect({ code, out }).toEqual({ code: 0, out: "went on\n" });
    expect(err).toBe("Resuming session session1: the main conversation and 3 agents were cut off.\n");
    expect(runtime.only).toMatchObject({ wentOn: 1, prompts: [] });
  });

  test("where only agents of a fan-out were cut off, their reports are the answer", async () => {
    const agents = [1, 2].map((n) => agentView({ id: actor(n), description: `task ${n}` }));
    const ends = (status: "done" | "failed") =>
      run(
        ["-p", "-c", offline],
        { home: homeWith({}) },
        {
          unfinished: { main: false, agents },
          onGoOn(session) {
            for (const view of agents)
              session.emit({
                type: "agent",
                view: { ...view, state: "ended", summary: summary(status, `of ${view.description}`) },
              });
          },
        },
      );
    expect(await ends("done")).toMatchObject({
      code: 0,
      out: "## Explore · task 1\n\nof task 1\n\n## Explore · task 2\n\nof task 2\n",
      err: expect.stringContaining("2 agents were cut off."),
    });
    expect((await ends("failed")).code).toBe(1);
  });

  test("where only its agents were cut off, what the main conversation says of them is the answer", async () => {
    const agent = agentView({ id: actor(1), parent: MAIN });
    const unfinished = { main: false, agents: [agent] };
    const runtime = new FakeRuntime({ unfinished });
    const io = new FakeIO({ stdin: "", cwd: here, env: { TROUPE_HOME: homeWith({}) } });
    const createSupervisor = await runtime.createSupervisor();
    runtime.createSupervisor = async () => (options) => {
      const session = createSupervisor(options);
      const result = { id: MAIN, type: "main", description: "", summary: summary("done", "heard it") };
      session.resumeUnfinished = async () => {
        options.onEvent?.({ type: "answered", result: { ...result, durationMs: 1 } });
        return null;
      };
      return session;
    };
    expect(await main(["-p", "-c", offline], io, runtime)).toBe(0);
    expect(io.out.text).toBe("heard it\n");
  });

  test("without a prompt and with nothing cut off it is one sentence and exit code 2", async () => {
    const { code, out, err, runtime } = await run(["-p", "-c", offline], { home: homeWith({}) });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe(
      'troupe: Nothing in session session1 was cut off, and there is no prompt: troupe -p --resume session1 "your question".\n',
    );
    expect(runtime.only).toMatchObject({ wentOn: 0, prompts: [], closed: 1 });
  });

  test("--fork-session works on a copy, and the session itself is not held", async () => {
    const home = homeWith({ events: cutOff });
    const { runtime } = await run(["-p", "-r", "aaaa", "--fork-session", "x", offline], { home });
    const { resume } = runtime.only.options;
    expect(resume).toMatchObject({ id: expect.not.stringMatching(ONE) });
    expect(runtime.restores).toMatchObject([{ fork: true }]);
    expect(lockHolder(folderOf(home))).toBeNull();
  });

  test("JSON names the session", async () => {
    const { out } = await run(["-p", "-c", "x", "--output-format", "json", offline], { home: homeWith({}) });
    expect(JSON.parse(out)).toMatchObject({ session_id: "session1", result: "an answer", unfinished: [] });
  });

  test("troupe sessions resume ID does the same without a terminal", async () => {
    const home = homeWith({});
    const asked = await run(["sessions", "resume", "aaaa", "and now?", offline], { home });
    expect(asked).toMatchObject({ code: 0, out: "an answer\n" });
    expect(asked.runtime.only.options.resume?.id).toBe(ONE);
    const copied = await run(
      ["sessions", "resume", ONE, "x", "--fork-session", "--output-format", "json", offline],
      { home: homeWith({}) },
    );
    expect(JSON.parse(copied.out)).toMatchObject({ result: "an answer" });
    expect(copied.runtime.restores).toMatchObject([{ fork: true }]);
    const none = await run(["sessions", "resume"], { home });
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("sessions resume needs ID") });
  });
});

describe("a session that cannot be resumed", () => {
  const refused = async (argv: readonly string[], options: Options, script?: FakeScript) => {
    const { code, out, err, runtime } = await run([...argv, offline], options, script);
    expect({ out, sessions: runtime.sessions.length }).toEqual({ out: "", sessions: 0 });
    return { code, err: err.replaceAll(here, "HERE") };
  };

  test("--resume without an ID lists the newest five if no user can choose", async () => {
    const ids = ["1", "2", "3", "4", "5", "6"].map((digit) => `cccc${digit}`);
    const home = homeWith(...ids.map((id) => ({ id })));
    const { code, err } = await refused(["-p", "x", "--resume"], { home });
    expect(code).toBe(2);
    expect(err).toContain("--resume needs the ID of a session");
    expect(err.match(/^cccc\d {2}.*about cccc\d$/gm)).toHaveLength(5);
  });

  test("about another folder is named with the way there, before it is opened or copied", async () => {
    const there = temporaryFolder("else where");
    const home = homeWith({ cwd: there });
    const { code, err } = await refused(["-p", "-r", "aaaa", "--fork-session", "x"], { home });
    expect({ code, err }).toEqual({
      code: 2,
      err: `troupe: Session ${ONE} is about ${there}; write troupe --resume ${ONE} --cwd '${there}', or change to that directory first.\n`,
    });
    const gone = await refused(["-p", "-r", "aaaa", "x"], { home: homeWith({ cwd: "/gone" }) });
    expect(gone.err).toBe(
      `troupe: Session ${ONE} is about /gone, which no longer exists; create it again first.\n`,
    );
  });

  test("a folder may have two names", async () => {
    const folder = temporaryFolder();
    const link = join(temporaryFolder(), "link");
    symlinkSync(folder, link);
    const { code, runtime } = await run(["-p", "-r", "aaaa", "x", "--cwd", link, offline], {
      home: homeWith({ cwd: folder }),
    });
    expect({ code, cwd: runtime.only.options.cwd }).toEqual({ code: 0, cwd: folder });
  });

  test("open in another process is refused, with the process and what to do", async () => {
    const home = homeWith({});
    const lock = lockSession({ home, folder: folderOf(home) }, processIdentity(process.pid));
    const { code, err } = await refused(["-p", "-c", "x"], { home });
    expect(code).toBe(1);
    expect(err).toContain(`(pid ${process.pid})`);
    expect(err).toContain("--fork-session works on a copy.");
    expect(lock.type).toBe("locked");
  });

  test.each([
    [["-c", "-r", "aaaa", "x"], "--continue and --resume each name a session; give one of them."],
    [
      ["--fork-session", "x"],
      "--fork-session copies a session; add --continue, or --resume ID, to say which.",
    ],
    [["-r", "zzzz", "x"], 'There is no session "zzzz"; troupe sessions list --all shows them.'],
  ])("%j", async (argv, sentence) => {
    const { code, err } = await refused(["-p", ...argv], { home: homeWith({}) });
    expect({ code, err }).toEqual({ code: 2, err: `troupe: ${sentence}\n` });
  });

  test("reports that no session is about this directory", async () => {
    for (const flag of ["-c", "--resume"]) {
      const { code, err } = await refused(["-p", "x", flag], { home: homeWith({ cwd: "/elsewhere" }) });
      expect(code).toBe(2);
      expect(err).toContain("There is no session about this directory to resume;");
    }
  });

  test("is named by --continue as sessions list names it if its first line is damaged (issue 15, 7)", async () => {
    const home = homeWith({});
    const path = journalFile(folderOf(home));
    writeFileSync(path, readFileSync(path, "utf8").replace(`about ${ONE}`, `abput ${ONE}`));
    const listed = await run(["sessions", "list"], { home });
    const sentence = listed.err.split("\n")[0];
    expect(sentence).toContain(`${path} does not begin with a whole session record`);
    for (const flag of ["--continue", "--resume"]) {
      const { code, err } = await refused(["-p", "x", flag], { home });
      expect({ code, err }).toEqual({ code: 1, err: `troupe: ${sentence}\n` });
    }
    const restoring = await resumeSession({ home, cwd: here, session: "latest" });
    expect(restoring).toEqual({ type: "refused", reason: sentence });
  });

  test("is named together with the one that --continue takes instead", async () => {
    const home = homeWith({ id: ONE }, { id: TWO });
    const path = journalFile(folderOf(home));
    writeFileSync(path, readFileSync(path, "utf8").replace(`about ${ONE}`, `abput ${ONE}`));
    const { runtime } = await run(["-p", "-c", "x", offline], { home });
    const { resume } = runtime.only.options;
    expect(resume?.id).toBe(TWO);
    expect(resume?.notes).toEqual([expect.stringContaining(`${path} does not begin with a whole session`)]);
  });

  test("is released if the rest of the command line is wrong", async () => {
    const home = homeWith({});
    const { code } = await refused(["-p", "-c", "x", "--add-dir", "/no/such/folder"], { home });
    expect(code).toBe(2);
    expect(lockHolder(folderOf(home))).toBeNull();
    expect((await refused(["-p", "-c", "/compact"], { home })).code).toBe(2);
    expect(lockHolder(folderOf(home))).toBeNull();
    expect(existsSync(journalFile(folderOf(home)))).toBe(true);
  });

  test("has its journal's reason told where it cannot be read", async () => {
    const restoring = () => ({ type: "refused", reason: "It was written by a newer Troupe." }) as const;
    const { code, err } = await refused(["-p", "-c", "x"], { home: homeWith({}) }, { restoring });
    expect({ code, err }).toEqual({ code: 1, err: "troupe: It was written by a newer Troupe.\n" });
  });

  test("one word without -p, --continue or --resume is no prompt, but a command that does not exist", async () => {
    const { code, err } = await refused(["frobnicate"], { home: homeWith({}) });
    expect({ code, err: err.slice(0, 44) }).toEqual({
      code: 2,
      err: 'troupe: There is no command "frobnicate"; to',
    });
  });
});

describe("a session with agents on runners", () => {
  const onRunner = (n: number, pool: string) => spawn(actor(n), { pool });
  const endOf = (n: number): SessionEvent => ({
    ...{ type: "summary", actor: actor(n), summary: ended("done"), durationMs: 1 },
  });
  const atWork = [...answered, onRunner(1, "default"), onRunner(2, "gpu"), endOf(2)];
  const ENGINE = "redis://localhost:6379";

  test.each([
    ["-p", "--resume", ONE],
    ["-p", "-c", "and now?"],
    ["run", "--resume", ONE],
  ])("is refused without an engine, and stays as it was: %s %s %s", async (...argv) => {
    const home = homeWith({ events: atWork });
    const before = readFileSync(journalFile(folderOf(home)), "utf8");
    const { code, err, runtime } = await run([...argv, offline], { home });
    expect({ code, err }).toEqual({
      code: 2,
      err: "troupe: Agents of this session are on runners of pool default: resume it with --engine URL.\n",
    });
    expect(runtime.sessions).toEqual([]);
    expect(readFileSync(journalFile(folderOf(home)), "utf8")).toBe(before);
    expect(lockHolder(folderOf(home))).toBeNull();
  });

  test("is not copied without an engine either", async () => {
    const home = homeWith({ events: atWork });
    const { code, err } = await run(["-p", "--resume", ONE, "--fork-session", offline], { home });
    expect({ code, err }).toEqual({
      code: 2,
      err: "troupe: Agents of this session are on runners of pool default: resume it with --engine URL.\n",
    });
    expect(readdirSync(dirname(folderOf(home)))).toEqual([ONE]);
  });

  test("has all their pools named", async () => {
    const home = homeWith({ events: [...atWork, onRunner(3, "gpu")] });
    const { err } = await run(["-p", "-c", offline], { home });
    expect(err).toContain("are on runners of pools default, gpu: resume it");
  });

  test("is resumed with an engine, of the command line or of settings", async () => {
    const given = homeWith({ events: atWork });
    await createFleetKey(fleetKeyFile(given));
    const { runtime } = await run(["-p", "-c", "x", "--engine", ENGINE, offline], { home: given });
    expect(runtime.only.options.resume?.id).toBe(ONE);
    const set = homeWith({ events: atWork });
    await createFleetKey(fleetKeyFile(set));
    const homedir = temporaryFolder();
    mkdirSync(join(homedir, ".claude"));
    const settings = JSON.stringify({ troupe: { runners: { engine: ENGINE } } });
    writeFileSync(join(homedir, ".claude", "settings.json"), settings);
    const other = await run(["-p", "-c", "x", offline], { home: set, homedir });
    expect(other.runtime.only.options.resume?.id).toBe(ONE);
  });

  test("is resumed without one if all of them have ended", async () => {
    const home = homeWith({ events: [...atWork, endOf(1)] });
    const { code } = await run(["-p", "-c", "x", offline], { home });
    expect(code).toBe(0);
  });
});
