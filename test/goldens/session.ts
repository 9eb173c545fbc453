import type { RecordedRequest, ServedReply } from "../support/messages-server.ts";

/** A call of a tool: its name and its input. */
export type Call = readonly [name: string, input: unknown];

/** A reply: a text, calls, or all that the server can do; with `late`, once that many requests of `main` were made. */
export type Turn = string | readonly Call[] | (ServedReply & { readonly late?: number });
type Scripted = Turn | ((request: RecordedRequest, place: Place) => Turn);

/** One command line, split at spaces outside quotes; `{session}` is the newest session, `{agent}` its first agent. */
export interface Run {
  readonly argv: string | readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process of its own, which is gone when the next one runs. */
  readonly apart?: boolean;
}

/**
 * A session to record: what is there, what is typed, and what the model says. In any text `$P` stands for the
 * project's path, `$H` for the home, `$URL` for the server, `$SERVER` for the program of an MCP server.
 */
export interface Session {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly home?: Readonly<Record<string, string>>;
  /** The user's settings. */
  readonly settings?: object;
  /** The project is a git repository, and its files are committed. */
  readonly git?: boolean;
  /** The offline model answers, not the server. */
  readonly offline?: boolean;
  readonly run: readonly (string | Run | ((place: Place) => unknown))[];
  /** By words of the prompt; `main` for what no other key fits. What is asked more often than this gets `ok`. */
  readonly replies?: Readonly<Record<string, readonly Scripted[]>>;
  /** Pages that the server has besides the model. */
  readonly pages?: Readonly<Record<string, ServedReply>>;
  /** Leaves out requests and journals: for commands that have none worth reading. */
  readonly brief?: boolean;
  /** Agents work side by side: what is said of their progress is sorted. */
  readonly unordered?: boolean;
}

/** Where a session runs. */
export interface Place {
  readonly project: string;
  readonly home: string;
  readonly url: string;
  /** The program of an MCP server, for node. */
  readonly server: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A session in which the main conversation may do everything, and makes these replies. */
export function acting(name: string, replies: readonly Scripted[], more: Partial<Session> = {}): Session {
  return {
    name,
    run: ["-p go --permission-mode bypassPermissions"],
    replies: { main: [...replies, "Done."] },
    ...more,
  };
}

/** The last ID of an agent that the request speaks of. */
export function agentIn({ rawBody }: RecordedRequest): string {
  return [...rawBody.matchAll(/[Aa]gent (?:ID )?([0-9a-z]{16})\b/g)].at(-1)?.[1] ?? "no agent";
}

/** The last ID of a command in the background that the request speaks of. */
export function taskIn({ rawBody }: RecordedRequest): string {
  return (
    [...rawBody.matchAll(/\b(?:id|ID|background as|task_id)[^0-9a-z]{1,5}(b[0-9a-z]{8})\b/g)].at(-1)?.[1] ??
    "no task"
  );
}
