// @module-tag long
import { describe, expect, test } from "vitest";
import type { ActorSpec } from "../../../src/mailbox/messages.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import type { AgentInput } from "../../../src/tools/agent.ts";
import { journalOf, textsIn, textsOf, worker, world } from "../../supervisor/resume-world.ts";
import { repositoryWith } from "../../support/git-repository.ts";

type Path = "new" | "fork" | "resume";

/** What a session shows of the one call that has the field. */
interface Seen {
  /** Of the agent that the call started or resumed. */
  readonly spec: ActorSpec;
  /** What the agent was sent last. */
  readonly request: ModelRequest;
  /** What the call answered. */
  readonly said: string;
}

type Case<T> =
  | { readonly value: T; readonly obeyed: (seen: Seen) => void }
  | { readonly value: T; readonly refused: RegExp };

const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
const hasPrompt = ({ request }: Seen) => expect(textsOf(request)).toContain("find the answer");
const inBackground = ({ said }: Seen) => expect(said).toContain("works in the background");
const inForeground = ({ said }: Seen) => expect(said).toContain("ended");

const CASES: {
  readonly [Field in keyof Required<AgentInput>]: Readonly<
    Record<Path, Case<NonNullable<AgentInput[Field]>>>
  >;
} = {
  description: {
    new: { value: "count sheep", obeyed: ({ spec }) => expect(spec.description).toBe("count sheep") },
    fork: { value: "count sheep", obeyed: ({ spec }) => expect(spec.description).toBe("count sheep") },
    // It is the title of the call.
    resume: { value: "count sheep", obeyed: ({ spec }) => expect(spec.description).toBe("first") },
  },
  prompt: {
    new: { value: "find the answer", obeyed: hasPrompt },
    fork: { value: "find the answer", obeyed: hasPrompt },
    resume: { value: "find the answer", obeyed: hasPrompt },
  },
  subagent_type: {
    new: { value: "other", obeyed: ({ spec }) => expect(spec.type).toBe("other") },
    fork: { value: "fork", obeyed: ({ spec }) => expect(spec.type).toBe("fork") },
    resume: { value: "other", refused: /is of type worker and stays so\. Leave out subagent_type/ },
  },
  model: {
    new: { value: "opus", obeyed: ({ request }) => expect(request.model).toMatch(/opus/) },
    fork: { value: "opus", refused: /A fork has the model of its conversation .*Leave out model/ },
    resume: { value: "opus", refused: /keeps its model .*Leave out model/ },
  },
  run_in_background: {
    new: { value: true, obeyed: inBackground },
    fork: { value: false, obeyed: inForeground },
    resume: { value: true, obeyed: inBackground },
  },
  resume: {
    new: { value: "nobody1", refused: /There is no agent "nobody1" to resume/ },
    fork: { value: "nobody1", refused: /There is no agent "nobody1" to resume/ },
    resume: { value: "nobody1", refused: /There is no agent "nobody1" to resume/ },
  },
  isolation: {
    new: { value: "worktree", obeyed: ({ spec }) => expect(spec.isolation?.path).toBe(spec.root) },
    fork: { value: "worktree", refused: /A fork works where its conversation works.*Leave out isolation/ },
    resume: { value: "worktree", refused: /was started without a worktree.*Leave out isolation/ },
  },
  accept: {
    new: {
      value: { files: ["a.txt"] },
      obeyed: ({ spec }) => expect(spec.accept).toEqual({ files: ["a.txt"] }),
    },
    fork: {
      value: { files: ["a.txt"] },
      obeyed: ({ spec }) => expect(spec.accept).toEqual({ files: ["a.txt"] }),
    },
    resume: { value: { files: ["a.txt"] }, refused: /keeps the check that it was started with/ },
  },
  output_schema: {
    new: { value: schema, obeyed: ({ spec }) => expect(spec.outputSchema).toEqual(schema) },
    fork: { value: schema, obeyed: ({ spec }) => expect(spec.outputSchema).toEqual(schema) },
    resume: { value: schema, refused: /keeps the form of its report\. Leave out output_schema/ },
  },
};

const PATHS = ["new", "fork", "resume"] as const;
const all = Object.entries(CASES).flatMap(([field, byPath]) =>
  PATHS.map((path) => ({ field, path, ...byPath[path] })),
);
const obeyed = all.flatMap((one) => ("obeyed" in one ? [{ ...one, check: one.obeyed }] : []));
const refused = all.flatMap((one) => ("refused" in one ? [{ ...one, words: one.refused }] : []));

describe("a field of an Agent call", () => {
  test.each(obeyed)("is obeyed: $field, $path", { tags: ["long"] }, async ({ field, path, value, check }) => {
    expect.hasAssertions();
    check(await callWith(path, { [field]: value }));
  });

  test.each(refused)("is refused with a sentence: $field, $path", async ({ field, path, value, words }) => {
    const { said, request } = await callWith(path, { [field]: value });
    expect(said).toMatch(words);
    expect(textsOf(request)).not.toContain("the task");
  });

  test("is no reason to refuse a resume if it says what the agent is", { tags: ["long"] }, async () => {
    const same = { subagent_type: "Worker", model: "sonnet", isolation: "worktree" };
    const { said, request } = await callWith("resume", same, { isolation: "worktree" });
    expect(said).toContain("(worker) ended");
    expect(textsOf(request)).toContain("the task");
  });

  test("without a background field leaves it to the definition, on resume too", async () => {
    inBackground(await callWith("resume", {}, { subagent_type: "quiet" }));
  });
});

describe("an option of spawn", () => {
  const spawned = (options: object) =>
    world("in-thread", () => ({ text: "done" })).supervisor.spawn({ prompt: "go", ...options });

  test("is refused if it does not exist", async () => {
    await expect(spawned({ modle: "opus" })).rejects.toThrow('spawn has no option "modle"; leave it out.');
  });

  test("is refused if it has nothing to say: merge without a worktree", async () => {
    await expect(spawned({ merge: "keep" })).rejects.toThrow(
      /Add isolation: "worktree", or leave out merge\./,
    );
  });
});

/** One Agent call of the main conversation; on resume, of an agent that an earlier call with `first` started. */
async function callWith(path: Path, more: object, first: object = {}): Promise<Seen> {
  const { folder: cwd } = await repositoryWith({ "a.txt": "one\n" });
  let [isBegun, isCalled, said] = [path !== "resume", false, ""];
  const call = (input: object) => ({ calls: [{ name: "Agent", input }] });
  const script = (request: ModelRequest): ScriptedTurn => {
    const text = textsOf(request);
    if (request.actor !== "main") return { text: '{"sum": 1}' };
    if (!isBegun) {
      isBegun = true;
      return call({ description: "first", prompt: "begin", subagent_type: "worker", ...first });
    }
    const [, id = "nobody"] = /Agent (\w+) \(\w+\) ended|agent_id: (\w+)/.exec(text)?.filter(Boolean) ?? [];
    if (text.includes("agent_id:") && !text.includes("<task-notification>")) {
      said ||= isCalled ? lastOf(request) : "";
      return { text: "I wait." };
    }
    if (isCalled) {
      said ||= lastOf(request);
      return { text: "done" };
    }
    isCalled = true;
    const usual = {
      new: { subagent_type: "worker" },
      fork: { subagent_type: "fork" },
      resume: { resume: id },
    };
    return call({ description: "second", prompt: "the task", ...usual[path], ...more });
  };
  const agents = [worker, { ...worker, name: "other" }, { ...worker, name: "quiet", background: true }];
  const where = world("in-thread", script, { cwd, agents });
  await where.supervisor.prompt("go");
  await where.supervisor.close();
  const specs = (await journalOf(where)).flatMap(({ event }) => (event.type === "spawn" ? [event.spec] : []));
  const request = where.model.requests.findLast(({ actor }) => actor !== "main");
  return { spec: last(specs), request: request ?? last(where.model.requests), said };
}

const lastOf = ({ messages }: ModelRequest) => textsIn(messages.slice(-1));

function last<T>(all: readonly T[]): T {
  const one = all.at(-1);
  if (one === undefined) throw new Error("There is none.");
  return one;
}
