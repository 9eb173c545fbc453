import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { ActorHost } from "../actors/hosts.ts";
import { leasingHost } from "../actors/leasing-host.ts";
import { MOST_THREADS } from "../actors/tool-threads.ts";
import type { OnEvent } from "../events/listener.ts";
import { AgentTypes } from "../features/agents/agent-types.ts";
import { RecordEvents } from "../features/events/record-events.ts";
import type { Journal } from "../journal/journal.ts";
import { JournalError } from "../journal/journal-error.ts";
import { type Outputs, outputsIn } from "../journal/outputs.ts";
import { fleetKeyFile, type SessionPlace, sessionPaths, troupeHome } from "../journal/paths.ts";
import { processIdentity } from "../journal/process-identity.ts";
import { JOURNAL_VERSION, type SessionEvent } from "../journal/session-events.ts";
import { lockSession } from "../journal/session-lock.ts";
import { startJournal } from "../journal/thread-journal.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { type Ids, randomIds, type SessionId } from "../mailbox/ids.ts";
import type { Gateway } from "../model/client.ts";
import { proxyVariables, threadGateway } from "../model/gateway.ts";
import { localGateway } from "../model/gateway-server.ts";
import { DEFAULT_MODEL, resolveModel } from "../model/model-names.ts";
import { denyingFiles } from "../policy/sandbox/denied-paths.ts";
import {
  credentialsIn,
  type RedactedText,
  redactionOf,
  redactor,
  type Secrets,
} from "../policy/secrets/redactor.ts";
import { startProcesses } from "../processes/client.ts";
import type { Processes } from "../processes/processes.ts";
import { routedHost } from "../remote/routed-host.ts";
import { type Limits, limitsOf } from "../settings/limits.ts";
import type { SupervisorOptions } from "./options.ts";

/** What a session needs before anything is decided in it: its place, its clock, its threads and processes. */
export interface SessionResources {
  /** With its directories as they were when it began. */
  readonly options: SupervisorOptions;
  /** Tells the user, without secrets. */
  readonly onWarning: (message: string) => void;
  readonly redact: (text: string) => string;
  /** The same, as the journal uses it. */
  readonly redaction: RedactedText;
  /** The one it works in, and the additional ones. */
  readonly folders: readonly string[];
  readonly id: SessionId;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Troupe's own directory. */
  readonly home: string;
  readonly place: SessionPlace;
  readonly outputs: Outputs;
  readonly model: string;
  readonly types: AgentTypes;
  readonly host: ActorHost;
  readonly gateway: Gateway;
  readonly journal: LeavableJournal;
  /** Reports what the journal alone says. */
  readonly records: RecordEvents;
  readonly processes: Processes;
  /** The session is free for other processes. */
  release(): void;
}

export function openResources(given: SupervisorOptions, onEvent: OnEvent): SessionResources {
  const limits = limitsOf(given.limits);
  // Whatever the process's directory becomes, a session's directories stay what they were.
  const additionalDirs = (given.additionalDirs ?? []).map((folder) => resolve(folder));
  const home = given.resume?.home ?? given.home ?? troupeHome(process.env, homedir());
  const options: SupervisorOptions = {
    ...given,
    ...{ cwd: resolve(given.cwd), additionalDirs },
    sandbox: denyingFiles(given.sandbox ?? {}, [fleetKeyFile(home), given.runners?.key]),
  };
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? randomIds();
  const id = options.resume?.id ?? ids.session();
  const secrets = secretsOf(options);
  const redact = redactor(secrets);
  const redaction = redactionOf(secrets);
  // What goes wrong may quote what a hook or a command said.
  const onWarning = (message: string) => onEvent({ type: "warning", message: redact(message) });
  const model =
    options.source.provider === "offline"
      ? "offline"
      : resolveModel(options.model ?? options.mainAgent?.model ?? DEFAULT_MODEL, options.aliases);
  const place = options.resume ?? sessionPaths(home, options.cwd, id);
  const release = options.resume?.release ?? locked(place, onWarning);
  const outputs = outputsIn(home, place.folder, ids);
  const types = new AgentTypes(options.agents ?? [], options);
  const host =
    options.host ??
    routedHost(
      leasingHost({ mostThreads: threadsWithin(MOST_THREADS), onFault: onWarning }),
      options.runners?.createHost({ session: id, clock, onWarning }) ?? null,
    );
  const gateway = openGateway(options, limits, clock);
  gateway.onClosed(onWarning);
  const goOn = options.resume?.end;
  const { permissionMode: mode, title } = { permissionMode: "default", ...options, ...options.resume };
  const records = new RecordEvents({ mode, ...(title === undefined ? {} : { title }) });
  const journal = detachableJournal(
    startJournal({
      ...{ home: place.home, folder: place.folder, clock, redaction },
      onWarning,
      ...(goOn ? { goOn } : {}),
      ...(options.startThread ? { startThread: options.startThread } : {}),
    }),
    (event) => records.of(event).forEach(onEvent),
  );
  journal.note({
    type: "session",
    version: JOURNAL_VERSION,
    id,
    cwd: options.cwd,
    model,
    title: options.title ?? "",
  });
  const processes = startProcesses({
    env: { ...process.env, ...options.env },
    clock,
    onGivenUp: onWarning,
    commandEnv: [...(options.commandEnv ?? []), ...Object.keys(options.env ?? {})],
  });
  return {
    ...{
      options,
      onWarning,
      redact,
      redaction,
      folders: [options.cwd, ...additionalDirs],
      id,
      ids,
      clock,
      limits,
      home,
      place,
    },
    ...{ outputs, model, types, host, gateway, journal, records, processes, release },
  };
}

/** A new session is this process's as well; where it cannot be locked its journal says why. */
function locked(place: SessionPlace, onWarning: (message: string) => void): () => void {
  try {
    const lock = lockSession(place, processIdentity(process.pid));
    return lock.type === "locked" ? lock.release : () => {};
  } catch (error) {
    onWarning(errorMessage(error));
    return () => {};
  }
}

function secretsOf({ source, env, redact = [] }: SupervisorOptions): Secrets {
  const own = [
    "apiKey" in source ? source.apiKey : undefined,
    "authToken" in source ? source.authToken : undefined,
  ];
  const keys = own.filter((key) => key !== undefined);
  const sent = Object.values(("headers" in source ? source.headers : undefined) ?? {});
  // A credential may follow a scheme, such as `Bearer`; a plain word is none.
  const words = sent.flatMap((value) => value.split(/\s+/)).map((word, at) => [`TOKEN_${at}`, word] as const);
  const found = [...credentialsIn({ ...process.env, ...env }), ...credentialsIn(Object.fromEntries(words))];
  return { values: [...found, ...keys, ...redact] };
}

function openGateway(
  { source, aliases = {}, availableModels, env, startThread, resume }: SupervisorOptions,
  limits: Limits,
  clock: Clock,
): Gateway {
  const { patienceMs, limitPatienceMs, idleMs, maxAgents } = limits;
  const pauses = resume?.state.pauses ?? [];
  // Slots bound the agents; the main conversation has a place of its own.
  const concurrency = maxAgents + 1;
  switch (source.provider) {
    case "client":
      return localGateway(source.client, { clock, patienceMs, limitPatienceMs, concurrency, pauses });
    case "anthropic":
    case "openai":
    case "offline":
      return threadGateway(
        {
          ...(availableModels === undefined ? {} : { availableModels }),
          ...{ source, aliases, limits: { patienceMs, limitPatienceMs, idleMs, concurrency }, pauses },
          env: proxyVariables({ ...process.env, ...env }),
        },
        startThread ? { startThread } : {},
      );
    default:
      return source satisfies never;
  }
}

/** Below this not even one agent can run: a session has about 40 files open, and one for each of the rest it reads. */
const LEAST = 64;
/** What a session has open in addition to its agents' threads, and each of those. */
const OWN = 44;
const PER_THREAD = 5;

/**
 * How many agents' threads this process has descriptors for, at most `wanted`: agents beyond that wait for a thread.
 * Throws if there are too few for a session.
 */
export function threadsWithin(wanted: number, limit = readOpenFilesLimit()): number {
  if (limit === null) return wanted;
  if (limit < LEAST)
    throw new Error(
      `A session needs at least ${LEAST} open files, and this process may have only ${limit}. Raise the limit (ulimit -n 1024) and start it again.`,
    );
  return Math.min(wanted, Math.max(1, Math.floor((limit - OWN) / PER_THREAD)));
}

/** How many files this process may have open at a time; null if the system does not say it here. */
function readOpenFilesLimit(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

interface LeavableJournal extends Journal {
  /** From now on only requests and ends are recorded: what leaving does to agents is not part of the session. */
  leave(): void;
}

type EventType = SessionEvent["type"];

/** A request of the last moment runs when the session is resumed; a summary is of an end that had begun before. */
const STILL_RECORDED: ReadonlySet<EventType> = new Set<EventType>([
  "spawn",
  "reopen",
  "prompt",
  "summary",
  "end",
]);

/**
 * A session that is left as it is must not end in its own journal by what leaving does to its agents. `onRecord` gets what
 * is recorded.
 */
function detachableJournal(journal: Journal, onRecord: (event: SessionEvent) => void): LeavableJournal {
  let left = false;
  const isRecorded = ({ type }: SessionEvent) => !left || STILL_RECORDED.has(type);
  return {
    folder: journal.folder,
    append(event) {
      if (!isRecorded(event))
        return Promise.reject(new JournalError("The session was left.", journal.folder, "closed"));
      const durable = journal.append(event);
      onRecord(event);
      return durable;
    },
    note(event) {
      if (!isRecorded(event)) return;
      journal.note(event);
      onRecord(event);
    },
    state: () => journal.state(),
    close: () => journal.close(),
    leave: () => {
      left = true;
    },
  };
}

/** Returns a promise of all that are not null; null if all are. Its rejection may stay unread. */
export function joinPromises(...known: readonly (Promise<void> | null)[]): Promise<void> | null {
  const waited = known.filter((one) => one !== null);
  if (waited.length === 0) return null;
  const all = Promise.all(waited).then(() => {});
  // The first prompt gets the error, if one comes.
  all.catch(() => {});
  return all;
}
