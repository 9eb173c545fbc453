import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN } from "../support/built.ts";
import { bundledProgram } from "../support/bundled-entries.ts";
import { long } from "../support/long.ts";
import { type MessagesServer, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, type PseudoTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ASKING = await bundledProgram(join(import.meta.dirname, "../cli/repl/asking-program.ts"));

const why = whyNoTerminal();
if (why !== null) console.warn(`The conversation is not tested in a terminal here: ${why}.`);

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const UP = "\u001b[A";

interface Options {
  readonly program?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  readonly home?: string;
  readonly cwd?: string;
}

function start(options: Options = {}): PseudoTerminal & { readonly home: string } {
  const { program = BIN, args = [], url, columns = 80, rows = 24 } = options;
  const home = options.home ?? temporaryFolder("troupe-home-");
  const terminal = inTerminal([process.execPath, program, ...args], {
    cwd: options.cwd ?? temporaryFolder(),
    columns,
    rows,
    env: {
      HOME: home,
      ...(url === undefined ? {} : { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-test-secret" }),
      ...options.env,
    },
  });
  return Object.assign(terminal, { home });
}

async function serving(reply: (n: number) => ServedReply): Promise<MessagesServer> {
  const server = await startMessagesServer(({ n }) => reply(n));
  onTestFinished(() => server.close());
  return server;
}

/** A reply that goes on for as long as it is let. */
const endless: ServedReply = { text: "Endless", upTo: "event: content_block_stop", ending: "pings" };

/** The ready prompt: the last line of the screen. */
const ready = async (terminal: PseudoTerminal) => terminal.shows(/\n› *$/);

/** A server whose model asks the person this. */
async function askingFor(ask: object): Promise<MessagesServer> {
  return serving((n) =>
    n === 0 ? { text: "I must ask.", calls: [{ name: "AskThem", input: { ask } }] } : { text: "Heard." },
  );
}

const permission = {
  type: "permission",
  id: "1",
  askers: [{ actor: "main", path: ["main conversation", "Explore · find it"] }],
  tool: "Bash",
  level: "execute",
  title: "git push\u202e origin main",
  details: [{ name: "timeout", value: "1000" }],
  description: "Push the branch",
  reason: "No rule allows it, so it is a question.",
  grants: ["Bash(git push:*)"],
};

describe("troupe alone, in a terminal", { ...unless(why), timeout: 60_000 }, () => {
  test("answers several prompts in one session, tells what each used, and leaves with Ctrl-D", {
    tags: ["long"],
  }, async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "wire.md"), "# Wire\n\nThe wire format is JSON lines.\n");
    const terminal = start({ cwd });
    await terminal.shows("offline model");
    await ready(terminal);
    terminal.type("where is the wire format?\r");
    await terminal.shows(/wire\.md[\s\S]*✓ done · \d+ turns?[^\n]* tokens[^\n]*\n\n› *$/);
    terminal.type("and what is in wire.md?\r");
    await terminal.shows(
      /› and what is in wire\.md\?[\s\S]*✓ done[\s\S]*✓ done|✓ done[\s\S]*and what is[\s\S]*✓ done/,
    );
    terminal.type(CTRL_D);
    expect(await terminal.ended).toBe(0);
    await terminal.shows("troupe sessions show");
  });

  test("/clear ends the conversation, says how to resume it, and begins one without what was said", {
    tags: ["long"],
  }, async () => {
    const server = await serving((n) => (n === 1 ? endless : { text: `Reply ${n}.` }));
    const home = temporaryFolder("troupe-home-");
    mkdirSync(join(home, ".claude"));
    const hooks = { SessionEnd: [{ hooks: [{ type: "command", command: 'cat >> "$HOME/ends"' }] }] };
    writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ hooks }));
    const terminal = start({ home, url: server.url, args: ["--permission-mode", "acceptEdits"] });
    await ready(terminal);
    terminal.type("the first secret\r");
    await terminal.shows(/Reply 0\.[\s\S]*✓ done/);
    terminal.type("and more\r");
    await terminal.shows("Endless");
    terminal.type("/clear\r");
    await terminal.shows(
      /the main conversation was stopped at work; resuming continues it\.\ntroupe --resume (\w+) resumes it\.\n[\s\S]*A new conversation begins, without what was said before\.\n\n› *$/,
    );
    terminal.type("hello\r");
    await terminal.shows(/Reply 2\.[\s\S]*✓ done/);
    const [, , last] = server.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(last).toContain("hello");
    expect(last).not.toContain("secret");
    terminal.type("/mode\r");
    await terminal.shows("The mode is acceptEdits.");
    terminal.type(CTRL_D);
    expect(await terminal.ended).toBe(0);
    const ends = readFileSync(join(home, "ends"), "utf8").matchAll(/"reason":\s*"(\w+)"/g);
    expect([...ends].map(([, reason]) => reason)).toEqual(["clear", "prompt_input_exit"]);
  });

  test("shows the reply as it is written, above the agents", { tags: ["long"] }, async () => {
    const seen = Promise.withResolvers<void>();
    const server = await serving(() => ({
      text: "First line.\nSecond line is written slowly, word by word.",
      ...{ chunks: 2, held: { after: "Second line is", until: seen.promise } },
    }));
    const terminal = start({ url: server.url });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/First line\.\nSecond l[^.]*\n\n● main conversation/);
    seen.resolve();
    await terminal.shows(/Second line is written slowly, word by word\.\n\n✓ done/);
    terminal.type("/exit\r");
    expect(await terminal.ended).toBe(0);
  });

  test("keeps lines for the next conversation, for this user only; the arrow keys find them", {
    tags: ["long"],
  }, async () => {
    const home = temporaryFolder("troupe-home-");
    const first = start({ home });
    await ready(first);
    first.type("/mode\r");
    await first.shows("The mode is default.");
    first.type("/permissions\\\rand more\r");
    await first.shows("and more");
    first.type(CTRL_D);
    await first.ended;
    expect(statSync(join(home, ".troupe/history")).mode & 0o777).toBe(0o600);
    const second = start({ home });
    await ready(second);
    second.type(UP);
    await second.shows(/› \/permissions\n {2}and more$/);
    second.type(UP);
    await second.shows(/› \/mode$/);
    second.type(CTRL_C);
    await second.shows(/› *$/);
    second.type(CTRL_D);
    await second.ended;
  });

  test("takes a pasted text with line breaks as one prompt", { tags: ["long"] }, async () => {
    const server = await serving(() => ({ text: "Read." }));
    const terminal = start({ url: server.url });
    await ready(terminal);
    terminal.type("\u001b[200~one\r\ntwo\nthree\n\u001b[201~");
    await terminal.shows(/› one\n {2}two\n {2}three$/);
    terminal.type("\r");
    await terminal.shows("✓ done");
    expect(JSON.stringify((await server.request(0)).body.messages)).toContain("one\\ntwo\\nthree");
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("vim's keys edit the prompt, and the terminal gets the modes of its keys back", {
    tags: ["long"],
  }, async () => {
    const terminal = start();
    await ready(terminal);
    terminal.type("/vim\r");
    await terminal.shows("The prompt has vim's keys from now on.");
    terminal.type("hello wrld\u001b[27;2;13~now");
    await terminal.shows(/› hello wrld\n {2}now$/);
    await terminal.showsStatus(/^ {2}INSERT · /);
    terminal.type("\u001b");
    await terminal.showsStatus(/^ {2}NORMAL · /);
    terminal.type("ggwcwworld\u001b[27u");
    await terminal.shows(/› hello world\n {2}now$/);
    terminal.type("uddk");
    await terminal.shows(/› \/vim$/);
    terminal.type("dd:qA");
    await terminal.showsStatus(/^ {2}INSERT · /);
    terminal.type("/exit\r");
    expect(await terminal.ended).toBe(0);
    const switches = terminal.written().match(/\p{Cc}\[(?:\?u|c|>4;\dm)/gu);
    expect(switches?.map((each) => each.slice(1))).toEqual(["[?u", "[c", "[>4;2m", "[>4;0m"]);
  });

  test("several words in quotes are the first prompt", { tags: ["long"] }, async () => {
    const server = await serving(() => ({ text: "It is a test." }));
    const terminal = start({ url: server.url, args: ["what is this?"] });
    await terminal.shows(/It is a test\.[\s\S]*✓ done/);
    terminal.type(CTRL_D);
    await terminal.ended;
    const refused = start({ url: server.url, args: ["what is this?", "and that"] });
    await refused.shows("A conversation takes one prompt at most, in quotes; leave out");
    expect(await refused.ended).toBe(2);
  });

  test("a dropped image goes with the prompt", { tags: ["long"] }, async () => {
    const server = await serving(() => ({ text: "Seen." }));
    const terminal = start({ url: server.url });
    await ready(terminal);
    const path = join(terminal.home, "a shot.png");
    writeFileSync(
      path,
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      ),
    );
    terminal.type(`what is \u001b[200~'${path}'\u001b[201~`);
    await terminal.shows(/› what is \[image [\w-]{6}\]/);
    terminal.type("\r");
    await terminal.shows("✓ done");
    expect(JSON.stringify((await server.request(0)).body.messages)).toContain('"media_type":"image/png"');
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("the user's own editor changes the prompt, and the history finds it again", {
    tags: ["long"],
  }, async () => {
    const server = await serving(() => ({ text: "Read." }));
    const terminal = start({ url: server.url, env: { VISUAL: "sed -i s/three/four/" } });
    await ready(terminal);
    terminal.type("one two three\u0007");
    await terminal.shows(/› one two four$/);
    terminal.type("\r");
    await terminal.shows("✓ done");
    terminal.type("\u0012two");
    await terminal.shows(/history, with two: one two four$/);
    terminal.type("\r!\r");
    await terminal.shows(/✓ done[\s\S]*› one two four!/);
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("Ctrl-C ends the turn and the conversation stays; twice it leaves", { tags: ["long"] }, async () => {
    const server = await serving((n) => (n === 0 ? endless : { text: "Here I am." }));
    const terminal = start({ url: server.url });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows("● main conversation");
    await server.request(0);
    terminal.type(CTRL_C);
    await terminal.shows(/⊘ cancelled[^\n]*\n\n› *$/);
    terminal.type("still there?\r");
    await terminal.shows(/Here I am\.\n\n✓ done/);
    terminal.type(CTRL_C);
    await terminal.shows("Ctrl-C again leaves.");
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
  });

  const signals = [
    ["SIGTERM", 143],
    ["SIGQUIT", 143],
    ["SIGHUP", 129],
  ] as const;
  // SIGHUP is in test/e2e/stopping.test.ts, too.
  test.each(signals.slice(0, long(3, 2)))(
    "%s in a turn ends every agent and leaves with %i",
    { tags: ["long"] },
    async (signal, code) => {
      const server = await serving(() => endless);
      const terminal = start({ url: server.url });
      await ready(terminal);
      terminal.type("go\r");
      await terminal.shows("Endless");
      terminal.signal(signal);
      expect(await terminal.ended).toBe(code);
      await terminal.shows(/\n› go\n\nEndless\n\n.*troupe sessions show/);
    },
  );

  test("SIGTERM leaves while the user's own editor is open", { tags: ["long"] }, async () => {
    const terminal = start({ env: { VISUAL: "echo the editor is open; exec tail -f" } });
    await ready(terminal);
    terminal.type("a prompt\u0007");
    await terminal.shows("the editor is open");
    terminal.signal("SIGTERM");
    expect(await terminal.ended).toBe(143);
  });

  test("a terminal that vanishes ends what it started", { tags: ["long"] }, async () => {
    const server = await serving(() => endless);
    const terminal = start({ url: server.url, env: { TROUPE_HOME: temporaryFolder() } });
    await ready(terminal);
    terminal.type("go\r");
    const { ended } = await server.request(0);
    terminal.vanish();
    expect(await ended).toBe("broken");
  });

  test("what is typed while it works reaches it, and commands are answered while it works", {
    tags: ["long"],
  }, async () => {
    const typed = Promise.withResolvers<void>();
    const held = { after: '"Work"', until: typed.promise };
    const server = await serving((n) =>
      n === 0 ? { text: "Working.", chunks: 2, held } : { text: "Noted." },
    );
    const terminal = start({ url: server.url });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows("Wor");
    terminal.type("/mode\rlook at tests too\r");
    await terminal.shows("The mode is default.");
    typed.resolve();
    await terminal.shows(/Noted\.\n\n✓ done/);
    expect((await server.request(1)).rawBody).toContain("look at tests too");
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("knows its commands, and the nearest of one it does not know", { tags: ["long"] }, async () => {
    const terminal = start();
    await ready(terminal);
    terminal.type("/agnts\r");
    await terminal.shows('There is no command "/agnts"; did you mean /agents?');
    terminal.type("/mode acceptEdit\r");
    await terminal.shows("(did you mean acceptEdits?)");
    terminal.type("/he\t");
    await terminal.shows(/› \/help$/);
    terminal.type("\r");
    await terminal.shows("/mode [MODE]");
    terminal.type("/exit\r");
    expect(await terminal.ended).toBe(0);
  });

  test("says below the prompt how the session is; a command of settings replaces that (issue 21, 6)", {
    tags: ["long"],
  }, async () => {
    const server = await serving(() => ({ text: "Hello." }));
    const terminal = start({ url: server.url });
    await terminal.showsStatus(/^ {2}sonnet\S* · default$/);
    terminal.type("\u001b[Z");
    await terminal.showsStatus(/^ {2}sonnet\S* · acceptEdits$/);
    terminal.type("go\r");
    await terminal.showsStatus(/ · acceptEdits · context \d+ % · \$0\.\d+$/);
    terminal.type("/");
    await terminal.shows(/\/agents[^\n]*$/m);
    terminal.type(CTRL_C);
    mkdirSync(join(terminal.home, ".claude"), { recursive: true });
    const command = 'cat > "$HOME/seen"; printf "\\033[2Jmy line\\n"';
    const statusLine = { type: "command", command, padding: 1 };
    writeFileSync(join(terminal.home, ".claude/settings.json"), JSON.stringify({ statusLine }));
    await terminal.showsStatus(/^ my line$/);
    expect(JSON.parse(readFileSync(join(terminal.home, "seen"), "utf8"))).toMatchObject({
      ...{ hook_event_name: "Status", permission_mode: "acceptEdits" },
      cost: { total_lines_added: 0 },
    });
    terminal.type(CTRL_D);
    expect(await terminal.ended).toBe(0);
    await terminal.shows(/ tokens · \$0\.\d+ · troupe sessions show[\s\S]*resumes it\.\s*$/);
  });

  test("fits 40 columns, without colours where NO_COLOR says so, and after the terminal was made narrower", {
    tags: ["long"],
  }, async () => {
    const server = await serving(() => ({ text: `${"word ".repeat(30)}end.`, chunks: 20, chunkDelayMs: 20 }));
    const terminal = start({ url: server.url, columns: 40, env: { NO_COLOR: "1" } });
    await ready(terminal);
    terminal.type("a prompt that is longer than the forty columns there are\r");
    await terminal.shows("✓ done");
    const tooWide = terminal.screen.lines().filter((line) => line.length > 40);
    expect(tooWide).toEqual([]);
    expect(terminal.written().match(/\[\d+m/g)).toBeNull();
    terminal.resize(30, 24);
    terminal.type("another prompt that has many words\r");
    await terminal.shows(/many\s+words[\s\S]*✓ done/);
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test.each([
    { on: "TERM=dumb", env: { TERM: "dumb" }, args: [] },
    { on: "--plain without colours", env: { TERM: "xterm", NO_COLOR: "1" }, args: ["--plain"] },
    { on: "TROUPE_PLAIN without colours", env: { TROUPE_PLAIN: "1", NO_COLOR: "1" }, args: [] },
  ])("prints plain lines and repaints none with $on", { tags: ["long"] }, async ({ env, args }) => {
    const server = await serving(() => ({ text: "A plain answer.", chunks: 3 }));
    const terminal = start({ url: server.url, env, args });
    await terminal.shows(/\n> $|\n>$/);
    terminal.type("go\r");
    await terminal.shows(/A plain answer\.\n\n✓ done[^\n]*\n\n>/);
    expect(terminal.written()).not.toContain("\u001b");
    terminal.type(CTRL_D);
    expect(await terminal.ended).toBe(0);
  });

  test("asks whether a folder is trusted that brings settings, and believes only a yes", {
    tags: ["long"],
  }, async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, ".claude"));
    writeFileSync(join(cwd, ".claude/settings.json"), '{"permissions":{"allow":["Bash(make:*)"]}}');
    const terminal = start({ cwd });
    await terminal.shows(/Bash\(make:\*\)[\s\S]*trust it\? y or n › *$/);
    terminal.type("n\r");
    await ready(terminal);
    terminal.type(CTRL_D);
    await terminal.ended;
    const again = start({ cwd, home: terminal.home });
    await again.shows("trust it? y or n ›");
    again.type("y\r");
    await ready(again);
    again.type(CTRL_D);
    await again.ended;
    const third = start({ cwd, home: terminal.home });
    await ready(third);
    expect(third.written()).not.toContain("trust it?");
    third.type(CTRL_D);
    await third.ended;
  });
});

describe("asks in a terminal", { ...unless(why), timeout: 60_000 }, () => {
  test("y allows once; everything that matters was shown before, hidden characters too", {
    tags: ["long"],
  }, async () => {
    const server = await askingFor(permission);
    const terminal = start({ program: ASKING, url: server.url });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/answer › *$/);
    const screen = terminal.screen.lines().join("\n");
    expect(screen).toMatch(/Bash {2}git push<U\+202E> origin main/);
    for (const words of [
      "main conversation › Explore · find it",
      "Push the branch",
      "No rule allows it, so it is a question.",
      "yes, for this session: Bash(git push:*)",
      "timeout",
    ]) {
      expect(screen).toContain(words);
    }
    terminal.type("y\r");
    await terminal.shows("✓ done");
    expect((await server.request(1)).rawBody).toContain(String.raw`{\"type\":\"allow\",\"span\":\"once\"}`);
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("what follows n reaches the agent; an unclear answer is asked again", {
    tags: ["long"],
  }, async () => {
    const server = await askingFor(permission);
    const terminal = start({ program: ASKING, url: server.url });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/answer › *$/);
    terminal.type("maybe\r");
    await terminal.shows(/Type y, s, p, n or d, and Enter\.\n[\s\S]*answer › *$/);
    terminal.type("n use a branch of your own\r");
    await terminal.shows("✓ done");
    expect((await server.request(1)).rawBody).toContain(
      String.raw`{\"type\":\"deny\",\"span\":\"once\",\"message\":\"use a branch of your own\"}`,
    );
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("a command of a real session runs after y and not after n, with /mode and /permissions to match", {
    tags: ["long"],
  }, async () => {
    const server = await serving((n) =>
      n === 0 || n === 2
        ? { calls: [{ name: "Bash", input: { command: `touch made-${n}`, description: "Make a file" } }] }
        : { text: "Heard." },
    );
    const cwd = temporaryFolder();
    const terminal = start({ url: server.url, cwd });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/Make a file[\s\S]*touch made-0[\s\S]*answer › *$/);
    terminal.type("y\r");
    await terminal.shows("✓ done");
    expect(existsSync(join(cwd, "made-0"))).toBe(true);
    terminal.type("again\r");
    await terminal.shows(/touch made-2[\s\S]*answer › *$/);
    terminal.type("n not that\r");
    await terminal.shows(/✓ done[\s\S]*✓ done/);
    expect(existsSync(join(cwd, "made-2"))).toBe(false);
    expect((await server.request(3)).rawBody).toContain("not that");
    terminal.type("/mode acceptEdits\r");
    await terminal.shows("The mode is acceptEdits from now on.");
    terminal.type("/permissions\r");
    await terminal.shows(/No rule is in force|allow {2}/);
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("what was typed before the question was drawn is no answer to it", { tags: ["long"] }, async () => {
    const typed = Promise.withResolvers<void>();
    const server = await serving((n) =>
      n === 0
        ? {
            text: "I must ask.",
            calls: [{ name: "AskThem", input: { ask: permission } }],
            ...{ chunks: 2, held: { after: '"I must"', until: typed.promise } },
          }
        : { text: "Heard." },
    );
    const terminal = start({ program: ASKING, url: server.url });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows("I m");
    terminal.type("y");
    await terminal.shows(/› y *$/);
    typed.resolve();
    await terminal.shows(/answer › *$/);
    terminal.type("n\r");
    await terminal.shows("✓ done");
    expect((await server.request(1)).rawBody).toContain(String.raw`{\"type\":\"deny\",\"span\":\"once\"}`);
    // It is still where it was typed.
    await terminal.shows(/\n› y$/);
    terminal.type(CTRL_C);
    terminal.type(CTRL_D);
    await terminal.ended;
  });

  test("Ctrl-C at a question ends the turn; Ctrl-D leaves it unanswered", {
    tags: ["long"],
  }, async () => {
    const server = await serving(() => ({ calls: [{ name: "AskThem", input: { ask: permission } }] }));
    const terminal = start({ program: ASKING, url: server.url });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/answer › *$/);
    terminal.type(CTRL_C);
    await terminal.shows(/Not answered\.[\s\S]*⊘ cancelled[^\n]*\n\n› *$/);
    terminal.type("again\r");
    await terminal.shows(/› again[\s\S]*answer › *$/);
    terminal.type(CTRL_D);
    expect(await terminal.ended).toBe(0);
  });

  test("questions and plans are answered too", { tags: ["long"] }, async () => {
    const question = {
      type: "question",
      id: "2",
      askers: [{ actor: "main", path: ["main conversation"] }],
      questions: [
        {
          question: "Which ones?",
          header: "Stores",
          multiSelect: true,
          options: [
            { label: "SQLite", description: "one file" },
            { label: "Redis", description: "a server", preview: "redis://…" },
          ],
        },
      ],
    };
    const plan = {
      type: "plan",
      id: "3",
      askers: [{ actor: "main", path: ["main conversation"] }],
      plan: "# Plan\n\n1. Do it.",
      file: "/tmp/plan.md",
      allows: [{ prompt: "run tests", rules: ["Bash(npm test)"] }],
    };
    const server = await serving((n) => {
      if (n === 0) return { calls: [{ name: "AskThem", input: { ask: question } }] };
      if (n === 1) return { calls: [{ name: "AskThem", input: { ask: plan } }] };
      return { text: "Heard." };
    });
    const terminal = start({ program: ASKING, url: server.url, rows: 40 });
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/Which ones\?[\s\S]*redis:\/\/…[\s\S]*3 {2}\[ \] Other[\s\S]*answer › *$/);
    terminal.type("1,3\r");
    await terminal.shows(/your words › *$/);
    terminal.type("flat files\r");
    await terminal.shows(
      /Carry out this plan\?[\s\S]*1\. Do it\.[\s\S]*run tests: Bash\(npm test\)[\s\S]*answer › *$/,
    );
    terminal.type("a\r");
    await terminal.shows("✓ done");
    expect((await server.request(1)).rawBody).toContain(String.raw`{\"Which ones?\":\"SQLite, flat files\"}`);
    expect((await server.request(2)).rawBody).toContain(
      String.raw`{\"type\":\"approve\",\"mode\":\"acceptEdits\"}`,
    );
    terminal.type(CTRL_D);
    await terminal.ended;
  });
});
