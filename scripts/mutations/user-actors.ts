import type { Mutation } from "./mutation.ts";

const file = "src/features/user-actors/user-actor.ts";
const tests = ["test/features/user-actors/user-actors.test.ts"];

export const userActors: readonly Mutation[] = [
  {
    name: "actors-a-new-thread-gets-the-first-state",
    file,
    from: "if (value.state !== undefined) this.#state = value.state;",
    to: "",
    tests,
    title: "costs its message, and the state before it stays",
  },
  {
    name: "actors-the-mailbox-has-no-limit",
    file,
    from: "if (!isOwed && this.#queue.length >= definition.mailbox)",
    to: "if (!isOwed && this.#queue.length > 1e9)",
    tests,
    title: "refuses messages above the limit",
  },
  {
    name: "actors-restart-for-ever",
    file,
    from: "if (this.#crashes.length <= most)",
    to: "if (this.#crashes.length <= most + 1e9)",
    tests,
    title: "fails at the crash after the limit",
  },
  {
    name: "actors-what-a-crashed-handler-sent-arrives",
    file: "src/journal/user-actors.ts",
    from: "pending: pending.filter(({ id }) => id !== change.id),\n        sent:",
    to: "pending,\n        sent:",
    tests,
    title: "a resumed session has the state",
  },
  {
    name: "actors-what-was-sent-is-forgotten-at-a-kill",
    file: "src/features/user-actors/index.ts",
    from: "for (const { out, agent } of rest?.sent ?? []) void this.#carryOut(name, out, agent);",
    to: "",
    tests,
    title: "reports to its actor in the resumed session",
  },
];
