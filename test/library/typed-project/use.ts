/** A program of somebody else: only `strict`, ordinary zod, and the built types. `types.test.ts` compiles it. */
import { defineAgent, defineTool, Session, type SessionEvent } from "troupe";
import { defineActor } from "troupe/actor";
import { defineTool as toolOnly } from "troupe/tool";
import * as z from "zod";
import * as mini from "zod/mini";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

const tool = defineTool({
  module: import.meta.url,
  name: "Lookup",
  description: "Looks up.",
  inputSchema: z.object({ key: z.string(), limit: z.number().default(10) }),
  permissionLevel: "read",
  call: async ({ key, limit }) => {
    same<typeof key, string>(true);
    same<typeof limit, number>(true);
    return { key, limit };
  },
});
toolOnly({
  module: import.meta.url,
  name: "Mini",
  description: "Looks up.",
  inputSchema: mini.object({ key: mini.string() }),
  permissionLevel: "read",
  call: async ({ key }) => key.toUpperCase(),
});

export const counter = defineActor({
  name: "counter",
  module: import.meta.url,
  messages: {
    add: { input: z.object({ n: z.number() }), reply: z.object({ sum: z.number() }) },
    reset: { input: z.object({}) },
  },
  state: z.object({ sum: z.number().default(0) }),
  receive: {
    add: ({ sum }, { n }) => ({ state: { sum: sum + n }, reply: { sum: sum + n } }),
    reset: () => ({ state: { sum: 0 } }),
  },
});

defineActor({
  name: "wrong",
  module: import.meta.url,
  messages: { add: { input: z.object({}), reply: z.number() } },
  state: z.object({}),
  // @ts-expect-error a message with a reply needs one
  receive: { add: (state) => ({ state }) },
});

export async function use(): Promise<void> {
  const agent = defineAgent({ name: "clerk", whenToUse: "Always.", prompt: "You answer.", tools: ["Read"] });
  await using session = new Session({
    cwd: ".",
    model: { provider: "anthropic", apiKey: "key", name: "sonnet" },
    permissions: { mode: "acceptEdits", allowedTools: ["Read"] },
    limits: { maxAgents: 4, budget: { usd: 1 } },
    tools: [tool],
    agents: [agent],
  });
  const run = session.spawn({ prompt: "x", output: z.object({ names: z.array(z.string()) }) });
  for await (const event of run.events()) same<typeof event, SessionEvent>(true);
  const { output } = await run;
  same<typeof output, { names: string[] } | null>(true);
  const [first] = await session.fanout(["a", { prompt: "b" }], { output: z.number() });
  same<NonNullable<typeof first>["output"], number | null>(true);
  const untyped = await session.spawn({ prompt: "x" });
  same<typeof untyped.output, unknown>(true);
  // @ts-expect-error there is no such option
  await session.spawn({ prompt: "x", isolated: true });
  // @ts-expect-error the model is missing
  new Session({ cwd: "." });

  const actor = await session.actors.start(counter, { state: { sum: 3 } });
  const { sum } = await actor.ask("add", { n: 1 });
  same<typeof sum, number>(true);
  await actor.tell("reset", {});
  // @ts-expect-error it has no reply
  await actor.ask("reset", {});
  // @ts-expect-error n is a number
  await actor.tell("add", { n: "1" });
  // @ts-expect-error there is no such message
  await actor.tell("subtract", {});

  const project = await Session.fromProject(".", { permissionMode: "plan", trust: true });
  await project.close();
}
