import { MessagePort } from "node:worker_threads";
import * as Comlink from "comlink";
import * as z from "zod/mini";
import { errorMessage } from "../lib/errors.ts";
import { comlinkEndpoint } from "./comlink-endpoint.ts";
import { CompactBegin, CompactEnd } from "./compacted.ts";
import { AfterCall, BeforeCall, Call, Found, Reply as OpenReply, OpenTurn, Turn } from "./messages.ts";
import { BackgroundRequest, CommandRequest, RunRequest } from "./runs.ts";
import type { Scheduler } from "./scheduler.ts";
import { PeerGone, type ServiceMap, type Services } from "./services.ts";
import { Finish } from "./turn-answers.ts";

type Method = keyof ServiceMap;
type Asked<M extends Method> = ServiceMap[M]["question"];
type Answer<M extends Method> = ServiceMap[M]["answer"];

/** What each question must look like: an agent's thread is not trusted to ask only well-formed ones. */
const questions: { readonly [M in Method]: z.ZodMiniType<Asked<M>> } = {
  before: BeforeCall,
  after: AfterCall,
  callTool: Call,
  reply: OpenReply,
  yield: OpenTurn,
  model: z.number(),
  turn: Turn,
  finish: Finish,
  compacting: CompactBegin,
  compacted: CompactEnd,
  hidden: Found,
  run: RunRequest,
  command: CommandRequest,
  background: BackgroundRequest,
};

/** comlink loses an error's class and fields, so failure crosses as data. */
type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

interface Lane {
  ask(id: string, method: Method, question: unknown): Promise<Reply>;
}

/** As many answers are remembered for an asker that asks twice. */
const REMEMBERED = 256;

/** Answers with output in them are too large to keep; asked again, they are refused, so that nothing runs twice. */
const LARGE: ReadonlySet<Method> = new Set(["run", "command"]);
const ANSWERED: Reply = { ok: false, message: "This was answered before." };

/** The supervisor's end: answers each id once, the same id twice with the recorded answer. */
export function serveServices(services: Services, port: MessagePort): void {
  const lane = answering(services);
  const carried: Lane = {
    async ask(id, method, question) {
      const reply = await lane.ask(id, method, question);
      return Comlink.transfer(reply, portsIn(reply));
    },
  };
  Comlink.expose(carried, comlinkEndpoint(port));
  port.start();
}

/** The asker's end. Every pending call is rejected with `PeerGone` when the port closes. */
export function servicesOver(port: MessagePort): Services {
  const remote = Comlink.wrap<Lane>(comlinkEndpoint(port));
  const waiting = new Set<(reason: PeerGone) => void>();
  let gone = false;
  port.once("close", () => {
    gone = true;
    for (const reject of waiting) reject(new PeerGone("the supervisor"));
    waiting.clear();
  });
  return askWith(
    (id, method, question) =>
      new Promise<Reply>((resolve, reject) => {
        if (gone) return reject(new PeerGone("the supervisor"));
        waiting.add(reject);
        const settle = () => waiting.delete(reject);
        remote.ask(id, method, question).then(resolve, reject).finally(settle);
      }),
  );
}

/** The same lane within one thread: the same checks, the same copies, in any order the scheduler likes. */
export function servicesInThread(services: Services, scheduler: Scheduler, name: string): Services {
  const lane = answering(services);
  const arrive = (way: string) => new Promise<void>((resolve) => scheduler.post(`${name}:${way}`, resolve));
  return askWith(async (id, method, question) => {
    const copy: unknown = structuredClone(question);
    await arrive("questions");
    const reply = await lane.ask(id, method, copy);
    const answer = structuredClone(reply, { transfer: portsIn(reply) });
    await arrive("answers");
    return answer;
  });
}

/** A port is no data: it is handed over. */
function portsIn(reply: Reply): MessagePort[] {
  return reply.ok && reply.value instanceof MessagePort ? [reply.value] : [];
}

function answering(services: Services): Lane {
  const recorded = new Map<string, Promise<Reply>>();
  const answer = async <M extends Method>(method: M, question: unknown): Promise<Reply> => {
    const parsed = z.safeParse(questions[method], question);
    if (!parsed.success)
      return { ok: false, message: `malformed ${method}: ${z.prettifyError(parsed.error)}` };
    try {
      return { ok: true, value: await services[method](parsed.data) };
    } catch (error) {
      return { ok: false, message: errorMessage(error) };
    }
  };
  return {
    ask(id, method, question) {
      const before = recorded.get(id);
      if (before) return before;
      const reply = answer(method, question);
      recorded.set(id, reply);
      if (LARGE.has(method)) {
        void reply.then(() => {
          if (recorded.has(id)) recorded.set(id, Promise.resolve(ANSWERED));
        });
      }
      const oldest = recorded.size > REMEMBERED ? recorded.keys().next() : undefined;
      if (oldest && !oldest.done) recorded.delete(oldest.value);
      return reply;
    },
  };
}

/** The question's own id names it: a call, a turn or a run can be asked about once per kind. */
function askWith(ask: (id: string, method: Method, question: unknown) => Promise<Reply>): Services {
  const put = async <M extends Method>(id: string, method: M, question: Asked<M>): Promise<Answer<M>> => {
    const reply = await ask(`${method}:${id}`, method, question);
    if (!reply.ok) throw new Error(reply.message);
    // The type map ties answer to question; the supervisor's side is ours and already checked by the compiler.
    return reply.value as Answer<M>;
  };
  let finishes = 0;
  let yields = 0;
  let compactions = 0;
  return {
    before: (call) => put(call.id, "before", call),
    after: (call) => put(call.id, "after", call),
    callTool: (call) => put(call.id, "callTool", call),
    reply: (reply) => put(String(reply.turn), "reply", reply),
    yield: (open) => put(String(yields++), "yield", open),
    model: (count) => put(String(count), "model", count),
    turn: (turn) => put(String(turn.turn), "turn", turn),
    finish: (finish) => put(String(finishes++), "finish", finish),
    compacting: (begin) => put(String(compactions++), "compacting", begin),
    compacted: (end) => put(String(compactions++), "compacted", end),
    hidden: (found) => put(found.call, "hidden", found),
    run: (request) => put(request.id, "run", request),
    command: (request) => put(request.call, "command", request),
    background: (request) => put(request.call, "background", request),
  };
}
