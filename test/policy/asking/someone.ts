import { ActorId, callId, MAIN } from "../../../src/mailbox/ids.ts";
import type {
  ChoiceQuestion,
  PermissionQuestion,
  PlanQuestion,
} from "../../../src/policy/asking/questions.ts";
import { type AskBrokerOptions, UserRequestBroker } from "../../../src/policy/user-request-broker.ts";
import type { Asker, UserAnswer, UserHandler, UserRequest } from "../../../src/policy/user-requests.ts";
import { settled } from "../../support/fake-clock.ts";

interface Shown {
  readonly ask: UserRequest;
  readonly signal: AbortSignal;
  answer(answer: unknown): void;
  vanish(error: unknown): void;
}

/** A person who sees each ask and answers when the test says so. */
export class Someone implements UserHandler {
  readonly seen: Shown[] = [];
  /** Those that wait for an answer now. More than one would be a mistake. */
  readonly open = new Set<Shown>();
  most = 0;

  ask(ask: UserRequest, signal: AbortSignal): Promise<UserAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<UserAnswer>();
    const shown: Shown = {
      ask,
      signal,
      // What comes back from outside is whatever it is.
      answer: (answer) => {
        this.open.delete(shown);
        resolve(answer as UserAnswer);
      },
      vanish: (error) => {
        this.open.delete(shown);
        reject(error);
      },
    };
    this.seen.push(shown);
    this.open.add(shown);
    signal.addEventListener("abort", () => this.open.delete(shown));
    this.most = Math.max(this.most, this.open.size);
    return promise;
  }

  get asks(): readonly UserRequest[] {
    return this.seen.map(({ ask }) => ask);
  }

  /** The one that is shown now. */
  now(): Shown {
    const [shown] = this.open;
    if (!shown) throw new Error("Nothing is shown.");
    return shown;
  }

  /** Answers what is shown, and lets everything happen that follows from it. */
  async say(answer: unknown): Promise<void> {
    await settled();
    this.now().answer(answer);
    await settled();
  }
}

export interface Told {
  readonly grants: string[][];
  readonly late: { readonly ask: UserRequest; readonly answer: UserAnswer }[];
}

export function brokerWith(person: UserHandler | null, options: Partial<AskBrokerOptions> = {}) {
  const told: Told = { grants: [], late: [] };
  const broker = new UserRequestBroker({
    person,
    onGrant: (rules) => void told.grants.push([...rules]),
    recheck: () => ({ type: "ask" }),
    onLate: (ask, answer) => void told.late.push({ ask, answer }),
    ...options,
  });
  return { broker, told };
}

export const never = new AbortController().signal;

export function askerNamed(name: string): Asker {
  return { actor: ActorId.parse(name), path: ["main conversation", `Explore · ${name}`] };
}

let calls = 0;
/** A call of its own. */
function nextCall() {
  calls += 1;
  return callId(MAIN, calls, 0);
}

export function toRun(command: string, given: Partial<PermissionQuestion> = {}): PermissionQuestion {
  return {
    asker: askerNamed("ann1"),
    call: nextCall(),
    tool: "Bash",
    level: "execute",
    input: { command },
    cwd: "/work",
    scope: { root: "/work", additionalDirs: [], tree: null },
    title: command,
    details: [{ name: "command", value: command }],
    reason: "No rule speaks of it.",
    grants: [`Bash(${command})`],
    ...given,
  };
}

export const which: ChoiceQuestion["questions"] = [
  {
    question: "Which one?",
    header: "Choice",
    options: [
      { label: "A", description: "the first" },
      { label: "B", description: "the second" },
    ],
    multiSelect: false,
  },
];

export function aPlan(given: Partial<PlanQuestion> = {}): PlanQuestion {
  return {
    asker: { actor: MAIN, path: ["main conversation"] },
    call: nextCall(),
    plan: "1. Do it.",
    file: "/plans/1.md",
    allows: [
      { prompt: "run tests", rules: ["Bash(npm test)", "Bash(npm run test)"] },
      { prompt: "deploy", rules: [] },
    ],
    onApproved: () => {},
    ...given,
  };
}

export { nextCall };
