import { actors } from "./actors.ts";
import { context } from "./context.ts";
import { mcp } from "./mcp.ts";
import type { Mutation } from "./mutation.ts";
import { policy } from "./policy.ts";
import { supervisor } from "./supervisor.ts";
import { tools } from "./tools.ts";
import { worktrees } from "./worktrees.ts";

export const mutations: readonly Mutation[] = [
  ...actors,
  ...context,
  ...mcp,
  ...policy,
  ...supervisor,
  ...tools,
  ...worktrees,
];
