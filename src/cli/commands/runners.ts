import type { Arguments } from "../arguments.ts";
import { type Command, type Context, checkPositionals } from "../command.ts";
import { UsageError } from "../exit-codes.ts";
import { flag, poolNames, repeated, text, whole } from "../option.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";

const engine = text({
  name: "engine",
  value: "URL",
  summary: "where attempts come from: redis://, rediss://, postgres:// or stdio:",
  fallback: "TROUPE_ENGINE, or troupe.runners.engine",
});
const runnerFlags = {
  engine,
  pool: poolNames(
    repeated({
      name: "pool",
      value: "NAME",
      summary: "a pool whose agents it runs; may be given several times",
      fallback: "the pool named default",
    }),
  ),
  slots: whole({
    name: "slots",
    value: "N",
    min: 1,
    max: 256,
    summary: "agents that run here at the same time",
    fallback: "the cores of this machine",
  }),
  name: text({ name: "name", value: "NAME", summary: "how it is called", fallback: "this machine's name" }),
  agentUser: text({
    name: "agent-user",
    value: "NAME",
    summary: "the user as whom agents and their commands run; needs root",
    fallback: "the user of the runner",
  }),
  once: flag({ name: "once", summary: "end after one agent, as for a job of CI" }),
  model: sessionFlags.model,
  offline: sessionFlags.offline,
};

/** Returns an engine's address as given or set. It has a password, so it is best set. */
async function engineUrlOf(args: Arguments, { io }: Context, command: string): Promise<string> {
  const { engineAddress } = await import("../runners/fleet.ts");
  return engineAddress(args.value(engine), io, command);
}

/** `troupe runner`: runs agents of sessions on other machines. */
export const runnerCommand: Command = {
  name: "runner",
  usage: ["runner --engine URL [flags]"],
  summary: "run agents of sessions on other machines",
  details: [
    "It takes agents from an engine that sessions offer them to, and runs each in a process of its own. It only dials out.",
    "It needs the key of the fleet (troupe runners key) and, as a session does, the key of a model or its server.",
    "SIGTERM has it take nothing new and hand over what it runs; a second one ends it immediately.",
    "Each change of its state is a line on standard error, and at least one a minute.",
  ],
  options: Object.values(runnerFlags),
  examples: [
    ["troupe runner --engine redis://localhost:6379", "as many agents as this machine has cores"],
    ["troupe runner --engine rediss://engine.example.com --pool gpu --slots 2", "two of pool gpu"],
    ["troupe runner --engine redis://localhost:6379 --once", "one agent, for a job of CI"],
  ],
  async run(args, context) {
    checkPositionals("runner", "", args.positionals);
    const url = await engineUrlOf(args, context, "runner");
    const { runRunner } = await import("../runners/run-runner.ts");
    return runRunner({
      ...{ url, context, args, pools: args.value(runnerFlags.pool), slots: args.value(runnerFlags.slots) },
      name: args.value(runnerFlags.name),
      ...{ agentUser: args.value(runnerFlags.agentUser), once: args.value(runnerFlags.once) },
    });
  },
};

/** `troupe runners`: which runners there are, and the key of their fleet. */
export const runnersCommand: Command = {
  name: "runners",
  usage: ["runners --engine URL [--json]", "runners key"],
  summary: "list the runners of an engine; make the key of a fleet",
  details: [
    "runners key creates the key that sessions and runners of a fleet share, or says where it is. Copy the file to each of their machines, and to no other.",
  ],
  options: [runnerFlags.engine, jsonFlag],
  examples: [
    ["troupe runners --engine redis://localhost:6379", "names, pools, slots, load and versions"],
    ["troupe runners key", "the file of the key"],
  ],
  async run(args, context) {
    const [word, ...rest] = args.positionals;
    if (word === undefined) {
      const url = await engineUrlOf(args, context, "runners");
      if (url.startsWith("ssh:"))
        throw new UsageError("An ssh:// engine has no runners to list: each session starts its own there.");
      const { printRunners } = await import("../runners/list-runners.ts");
      return printRunners(url, args.value(jsonFlag), context);
    }
    checkPositionals("runners key", "", rest);
    if (word !== "key") throw new UsageError(`runners takes key or nothing, not ${JSON.stringify(word)}.`);
    if (args.given(runnerFlags.engine).length + args.given(jsonFlag).length > 0)
      throw new UsageError("runners key takes no flags; leave them out.");
    const { printKey } = await import("../runners/list-runners.ts");
    return printKey(context);
  },
};
