/** A kind of agent: what it is for, what it may use, how it works and what it must return. */
export interface AgentDefinition {
  readonly name: string;
  /** Other names people and models use for it; all names are matched whatever their case and separators. */
  readonly aliases?: readonly string[];
  /** One line by which a model chooses it. */
  readonly whenToUse: string;
  /** The role's part of the system prompt: how to work and what to return. */
  readonly prompt: string;
  /** Tool names, or every tool there is. */
  readonly tools: readonly string[] | "all";
  readonly disallowedTools?: readonly string[];
  /** Alias or full id; the session's model where absent. */
  readonly model?: string;
  /** Its callers go on at once and are notified, unless a call says otherwise. */
  readonly background?: boolean;
  /** What one of them may use, with everything below it; taken from its parent's. */
  readonly budget?: {
    readonly tokens?: number;
    readonly usd?: number;
    readonly turns?: number;
    readonly ms?: number;
  };
  /** Turns before it must write its summary; the session's limit where absent. */
  readonly maxTurns?: number;
}

/** For library users: the definition itself, checked by the compiler. */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return definition;
}
