import { hash } from "node:crypto";
import * as z from "zod/mini";
import { type ActorSpec, AgentTool } from "./messages.ts";

/** What agents of a type have in common, and most of a spec: it travels to each runner once. */
const SpecKit = z.object({ system: z.array(z.string()), tools: z.array(AgentTool) });
export type SpecKit = z.infer<typeof SpecKit>;

/** Returns the kit of a spec as a text. The later blocks of its prompt name its own directory. */
export function packKit({ system, tools }: Pick<ActorSpec, "system" | "tools">): string {
  return JSON.stringify({ system: system.slice(0, 1), tools } satisfies SpecKit);
}

export function digestKit(packed: string): string {
  return hash("sha256", packed);
}

/** Throws if it is not the kit of that digest. */
export function unpackKit(packed: string, digest: string): SpecKit {
  if (digestKit(packed) !== digest)
    throw new Error("The session sent other tools of the agent than it had offered.");
  return SpecKit.parse(JSON.parse(packed));
}

export function withoutKit(spec: ActorSpec): ActorSpec {
  return { ...spec, system: spec.system.slice(1), tools: [] };
}

export function withKit(spec: ActorSpec, { system, tools }: SpecKit): ActorSpec {
  return { ...spec, system: [...system, ...spec.system], tools };
}
