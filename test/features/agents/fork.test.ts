import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { agentTool } from "../../../src/tools/agent.ts";
import {
  broken,
  cutAfter,
  journalOf,
  recorded,
  recordsOf,
  repliesIn,
  takenUp,
  textsIn,
  textsOf,
  times,
  type World,
  world,
} from "../../supervisor/resume-world.ts";
import { everyDayHosts } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const fork = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: `fork ${prompt}`, prompt, subagent_type: "fork", ...more },
});
const isMain = ({ actor }: ModelRequest) => actor === "main";
const isFork = (request: ModelRequest) => textsOf(request).includes("You are a fork:");
const forksOf = ({ model }: World) => model.requests.filter((request) => isFork(request));
/** Its first request. */
const firstOf = (where: World, directive: string) =>
  forksOf(where).find((request) => textsOf(request).trimEnd().endsWith(directive)) ?? never();
/** All of a request that a cache would compare, in its order. */
const bytesOf = ({ system, tools, messages, model }: ModelRequest) =>
  JSON.stringify({ model, tools, system, messages });

/** A folder with a file, for the main conversation to read before it forks. */
function withFile(text = "alpha\n") {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a.txt"), text);
  return { cwd, file: join(cwd, "a.txt") };
}

/** Its main conversation reads a file, starts forks, and answers when all have reported. */
function forking(
  file: string,
  count: number,
  onFork: (request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>,
) {
  return (request: ModelRequest): ScriptedTurn | Promise<ScriptedTurn> => {
    if (isFork(request)) return onFork(request);
    switch (repliesIn(request)) {
      case 0:
        return { text: "first I read", calls: [{ name: "Read", input: { file_path: file } }] };
      case 1:
        return {
          thinking: "hm",
          text: "now",
          calls: Array.from({ length: count }, (_, n) => fork(`part ${n}`)),
        };
      default:
        return { text: times(textsOf(request), "<task-notification>") < count ? "started" : "heard" };
    }
  };
}

describe.each(everyDayHosts)("forks, %s", (host) => {
  test.each([1, 8])(
    "%i in one reply begin with their parent's request to the letter, and share all but their directive (A11.9, D11)",
    async (count) => {
      const { cwd, file } = withFile();
      const forked = world(
        host,
        forking(file, count, () => ({ text: "fork report" })),
        { cwd },
      );
      await forked.supervisor.prompt("go");
      const parent = forked.model.requests.filter(isMain)[1] ?? never();
      const firsts = Array.from({ length: count }, (_, n) => firstOf(forked, `part ${n}`));
      for (const [n, first] of firsts.entries()) {
        const prefix = { ...first, messages: first.messages.slice(0, parent.messages.length) };
        expect(bytesOf(prefix)).toBe(bytesOf(parent));
        expect(first.maxTokens).toBe(parent.maxTokens);
        const [reply, own, ...more] = first.messages.slice(parent.messages.length);
        expect(more).toEqual([]);
        expect(reply?.role).toBe("assistant");
        expect(textsIn([own ?? never()])).toMatch(new RegExp(`part ${n}$`));
      }
      const shared = firsts.map((first) => {
        const own = first.messages.at(-1)?.content;
        if (typeof own === "string" || own === undefined) throw new Error("blocks are wanted");
        return bytesOf({
          ...first,
          messages: [...first.messages.slice(0, -1), { role: "user", content: own.slice(0, -1) }],
        });
      });
      expect(new Set(shared).size).toBe(1);
      const last = textsOf(forked.model.requests.filter(isMain).at(-1) ?? never());
      expect(times(last, "fork report")).toBe(count);
    },
  );

  test("the launch names agent_id and output_file; there is no such file before the end (A11.9, A22.16)", async () => {
    const there: boolean[] = [];
    const release = Promise.withResolvers<void>();
    const fork1 = world(host, async (request): Promise<ScriptedTurn> => {
      const said = textsOf(request);
      if (isFork(request)) {
        await release.promise;
        return { text: "the whole report" };
      }
      const path = /output_file: (\S+)/.exec(said)?.[1];
      if (path === undefined) return { calls: [fork("look")] };
      there.push(existsSync(path));
      if (said.includes("<task-notification>")) {
        expect(readFileSync(path, "utf8")).toBe("the whole report");
        return { text: "heard" };
      }
      if (repliesIn(request) === 1) return { calls: [{ name: "Read", input: { file_path: path } }] };
      release.resolve();
      return { text: "started" };
    });
    expect((await fork1.supervisor.prompt("go")).summary.text).toBe("started\n\nheard");
    const said = textsOf(fork1.model.requests.filter(isMain).at(-1) ?? never());
    expect(said).toMatch(/agent_id: \w{16}\noutput_file: \S+ \(written when it has finished\)/);
    expect(there).toEqual([false, false, true]);
    expect(fork1.supervisor.tree().find(({ type }) => type === "fork")).toMatchObject({ background: true });
  });

  test("lets a fork edit what its parent has read", async () => {
    const { cwd, file } = withFile();
    const forked = world(
      host,
      forking(file, 1, (request) =>
        repliesIn(request) === 2
          ? { calls: [{ name: "Edit", input: { file_path: file, old_string: "alpha", new_string: "beta" } }] }
          : { text: "edited" },
      ),
      { cwd },
    );
    await forked.supervisor.prompt("go");
    expect(readFileSync(file, "utf8")).toBe("beta\n");
  });

  test("a fork starts no fork and enters no plan mode; it may start another agent type", async () => {
    const { cwd, file } = withFile();
    const forked = world(
      host,
      forking(file, 1, (request) => {
        if (repliesIn(request) > 2) return { text: "done" };
        const agent = { description: "other", prompt: "other work", subagent_type: "worker" };
        return {
          calls: [
            fork("deeper"),
            { name: "EnterPlanMode", input: {} },
            { name: "ExitPlanMode", input: { plan: "p" } },
            { name: "Agent", input: agent },
          ],
        };
      }),
      { cwd, person: { ask: async () => ({ type: "deny", span: "once" }) } },
    );
    await forked.supervisor.prompt("go");
    const last = textsOf(forksOf(forked).at(-1) ?? never());
    expect(last).toContain("A fork starts no forks.");
    expect(last).toContain("main conversation");
    expect(last).toMatch(/\[Agent \w+ \(worker\) ended: done/);
    expect(forked.supervisor.tree().filter(({ type }) => type === "fork")).toHaveLength(1);
    expect(forked.supervisor.mode()).toBe("bypassPermissions");
  });

  test("an agent can fork too, as deep as agents may be; its fork starts no agent below that", async () => {
    const forked = world(host, (request) => {
      if (isMain(request))
        return repliesIn(request) === 0
          ? {
              calls: [
                { name: "Agent", input: { description: "w", prompt: "work", subagent_type: "worker" } },
              ],
            }
          : { text: "answered" };
      if (isFork(request)) {
        const agent = { description: "deep", prompt: "too deep", subagent_type: "worker" };
        return repliesIn(request) === 1
          ? { calls: [{ name: "Agent", input: agent }] }
          : { text: "fork report" };
      }
      if (repliesIn(request) === 0) return { calls: [fork("mine")] };
      return { text: textsOf(request).includes("fork report") ? "heard my fork" : "started" };
    });
    await forked.supervisor.prompt("go");
    const [, worker, own] = forked.supervisor.tree();
    expect([worker?.type, own?.type, own?.depth, own?.parent]).toEqual(["worker", "fork", 2, worker?.id]);
    expect(forked.supervisor.tree()).toHaveLength(3);
    expect(textsOf(forksOf(forked).at(-1) ?? never())).toMatch(/deep/);
    expect(textsOf(forked.model.requests.filter(isMain).at(-1) ?? never())).toContain("heard my fork");
  });
});

test("the journal has a fork's conversation once, and after a crash it is the same to the letter", async () => {
  const canary = "a-canary-that-is-read";
  const { cwd, file } = withFile(`${canary}\n`);
  const script = forking(file, 2, (request) =>
    repliesIn(request) === 2 ? { calls: [{ name: "ListAgents", input: {} }] } : { text: "fork report" },
  );
  const first = world("in-thread", script, { cwd });
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  expect(broken(recordsOf(whole.lines))).toEqual([]);
  expect(times(whole.lines.join("\n"), canary)).toBe(1);
  const before = [0, 1].map((n) => bytesOf(firstOf(first, `part ${n}`)));

  const spawned = recordsOf(whole.lines).flatMap(({ event }, place) =>
    event.type === "spawn" && event.fork ? [place] : [],
  );
  const replied = recordsOf(whole.lines).flatMap(({ event }, place) =>
    event.type === "reply" && event.actor !== "main" ? [place] : [],
  );
  for (const place of [spawned[1] ?? 0, replied[1] ?? 0]) {
    const again = await takenUp("in-thread", script, { id: whole.id, home: cutAfter(whole, place + 1) });
    expect((await again.supervisor.resumeUnfinished())?.summary.status).toBe("done");
    for (const request of forksOf(again)) {
      const [n] = /part \d$/m.exec(textsIn(request.messages.slice(0, 5))) ?? never();
      const same = { ...request, messages: request.messages.slice(0, 5) };
      expect(bytesOf(same)).toBe(before[Number(n.at(-1))]);
    }
    await again.supervisor.close();
    expect(broken(await journalOf(again))).toEqual([]);
  }
});

test("resumes an ended fork with all it knew, also after a restart", { tags: ["long"] }, async () => {
  const script = (request: ModelRequest): ScriptedTurn =>
    isFork(request)
      ? { text: `fork report ${repliesIn(request)}` }
      : { text: "heard", ...(repliesIn(request) === 0 ? { calls: [fork("look")] } : {}) };
  const first = world("in-thread", script);
  await first.supervisor.prompt("go");
  const { id } = first.supervisor.tree().find(({ type }) => type === "fork") ?? never();
  await first.supervisor.close();
  const before = firstOf(first, "look");
  const again = await takenUp("in-thread", script, { id: first.supervisor.session, home: first.home });
  expect((await again.supervisor.resume(id, "and now?")).summary.text).toBe("fork report 2");
  const request = again.model.requests.at(-1) ?? never();
  expect(bytesOf({ ...request, messages: request.messages.slice(0, before.messages.length) })).toBe(
    bytesOf(before),
  );
});

test("the rules of forks are in the prompt only if forks are allowed (A4.18)", () => {
  const promptWith = (forks: boolean) => {
    const tool = agentTool({
      ...{ agents: [], forks },
      resolve: () => null,
      spawn: () => Promise.reject(new Error("not asked")),
    });
    return JSON.stringify(tool.description);
  };
  for (const rule of ["Don't peek", "Don't race", "directive"]) {
    expect(promptWith(true)).toContain(rule);
    expect(promptWith(false)).not.toContain(rule);
  }
});

function never(): never {
  throw new Error("not there");
}
