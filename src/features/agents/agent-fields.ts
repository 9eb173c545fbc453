import type { ActorSpec } from "../../mailbox/messages.ts";
import type { AgentInput } from "../../tools/agent.ts";

/** The paths of an Agent call that do not start a new agent: a fork, or resuming an ended agent. */
type Path = "fork" | "resume";

/** What the call is about, and how its texts are read. */
export interface Subject {
  /** The spec of the fork's parent, or of the agent that is resumed. */
  readonly spec: ActorSpec;
  modelOf(alias: string): string;
  /** Returns the name of this agent type as its definition spells it. */
  typeOf(type: string): string;
}

/** Returns why the value cannot be obeyed and what to do instead, or null. */
type Refusal<T> = (value: T, subject: Subject) => string | null;
type Handling<T> = "obeyed" | Refusal<T>;

/** How each path handles each field of an Agent call. A new agent obeys all of them. */
export const AGENT_FIELDS: {
  readonly [Field in keyof Required<AgentInput>]: Readonly<
    Record<Path, Handling<NonNullable<AgentInput[Field]>>>
  >;
} = {
  // The title of the call; an agent keeps the description it was started with.
  description: { fork: "obeyed", resume: "obeyed" },
  prompt: { fork: "obeyed", resume: "obeyed" },
  run_in_background: { fork: "obeyed", resume: "obeyed" },
  resume: { fork: "obeyed", resume: "obeyed" },
  subagent_type: {
    fork: "obeyed",
    resume: (type, { spec, typeOf }) =>
      typeOf(type) === spec.type
        ? null
        : `Agent ${spec.id} is of type ${spec.type} and stays so. Leave out subagent_type, or start a new agent of type ${type} without resume.`,
  },
  model: {
    fork: (model, { spec, modelOf }) =>
      modelOf(model) === spec.model
        ? null
        : `A fork has the model of its conversation (${spec.model}). Leave out model, or start an agent of another type with it.`,
    resume: (model, { spec, modelOf }) =>
      modelOf(model) === spec.model
        ? null
        : `Agent ${spec.id} keeps its model (${spec.model}). Leave out model, or start a new agent with it and without resume.`,
  },
  isolation: {
    fork: () =>
      "A fork works where its conversation works and cannot have a worktree. Leave out isolation, or start an agent of another type with it.",
    resume: (_, { spec }) =>
      spec.isolation === undefined
        ? `Agent ${spec.id} was started without a worktree and works where it did. Leave out isolation, or start a new agent with it and without resume.`
        : null,
  },
  accept: {
    fork: "obeyed",
    resume: (_, { spec }) =>
      `Agent ${spec.id} keeps the check that it was started with. Leave out accept, or start a new agent with it and without resume.`,
  },
  output_schema: {
    fork: "obeyed",
    resume: (_, { spec }) =>
      `Agent ${spec.id} keeps the form of its report. Leave out output_schema, or start a new agent with it and without resume.`,
  },
};

/** Throws an error for the model if a field of the call cannot be obeyed. */
export function assertObeyed(path: Path, input: AgentInput, subject: Subject): void {
  const check = <Field extends keyof AgentInput>(field: Field) => {
    const value = input[field];
    const handling = AGENT_FIELDS[field][path];
    const refusal = value === undefined || handling === "obeyed" ? null : handling(value, subject);
    if (refusal !== null) throw new Error(refusal);
  };
  for (const field of FIELDS) check(field);
}

const FIELDS = Object.keys(AGENT_FIELDS).filter((field): field is keyof AgentInput => field in AGENT_FIELDS);
