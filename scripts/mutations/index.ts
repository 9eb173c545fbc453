import { actors } from "./actors.ts";
import { cli } from "./cli.ts";
import { context } from "./context.ts";
import { crash } from "./crash.ts";
import { journal } from "./journal.ts";
import { mailbox } from "./mailbox.ts";
import { mcp } from "./mcp.ts";
import { model } from "./model.ts";
import { money } from "./money.ts";
import type { Mutation } from "./mutation.ts";
import { policy } from "./policy.ts";
import { processes } from "./processes.ts";
import { supervisor } from "./supervisor.ts";
import { tools } from "./tools.ts";
import { userActors } from "./user-actors.ts";
import { worktrees } from "./worktrees.ts";

export const mutations: readonly Mutation[] = [
  ...actors,
  ...cli,
  ...context,
  ...crash,
  ...journal,
  ...mailbox,
  ...mcp,
  ...model,
  ...money,
  ...policy,
  ...processes,
  ...supervisor,
  ...tools,
  ...userActors,
  ...worktrees,
];
