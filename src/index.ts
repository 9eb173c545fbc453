/**
 * Troupe as a library: a session, agents in worker threads, one summary each.
 *
 * @example
 * await using session = new Session({ cwd: process.cwd(), model: { provider: "offline" } });
 * const { summary } = await session.spawn({ type: "Explore", prompt: "Where are routes defined?" });
 * console.log(summary.text);
 */

export { builtInAgents } from "./context/agents/built-in.ts";
export { type AgentDefinition, defineAgent } from "./context/agents/definition.ts";
export type { AgentResult } from "./events/agent-result.ts";
export type { Activity, AgentState, AgentView } from "./events/agent-view.ts";
export { EVENTS_VERSION, SupervisorEvent as SessionEvent } from "./events/event.ts";
export type { SessionUsage } from "./features/budget/usage-meter.ts";
export type { CompactionOptions } from "./features/compaction/windows.ts";
export {
  type WorktreeSettings,
  type WorktreeSetup,
  worktreeDefaults,
} from "./features/isolation/worktree-settings.ts";
export type { ModelChange, ModelService, OfferedModel } from "./features/models/index.ts";
export type { RunnersOptions } from "./features/runners/index.ts";
export type { ActorRef, AskOptions } from "./features/user-actors/actor-ref.ts";
export { ActorError, type ActorErrorKind } from "./features/user-actors/actor-ref.ts";
export {
  type ActorAddress,
  type ActorContext,
  type ActorDefinition,
  type ActorSpecOf,
  type AgentOrder,
  type AgentReport,
  agentReport,
  defineActor,
} from "./features/user-actors/define-actor.ts";
export type { Clock } from "./lib/clock.ts";
export type {
  ContextOptions,
  LimitOptions,
  McpOptions,
  ModelOptions,
  OutputOf,
  OutputSchema,
  PermissionOptions,
  SessionOptions,
} from "./library/options.ts";
export type { ProjectOptions } from "./library/read-project.ts";
export { type AgentRun, Session, type TypedResult } from "./library/session.ts";
export type { Compaction } from "./mailbox/compacted.ts";
export type { MessageParam, Usage } from "./mailbox/conversation.ts";
export type { ActorId, CallId, Ids, SessionId } from "./mailbox/ids.ts";
export type { Receipts, Status, Summary } from "./mailbox/messages.ts";
export type { Conflict, MergeMode, WorktreeResult } from "./mailbox/worktree.ts";
export type { McpServer, McpServerEntry } from "./mcp/server.ts";
export type {
  ModelClient,
  ModelEvent,
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "./model/client.ts";
export {
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedTurn,
  scriptedModel,
} from "./model/scripted.ts";
export type { PermissionDenial } from "./policy/judgement.ts";
export type {
  Answers,
  Asker,
  Choice,
  PermissionLevel,
  PermissionRequest,
  PlanRequest,
  Question,
  QuestionRequest,
  UserAnswer,
  UserHandler,
  UserRequest,
} from "./policy/user-requests.ts";
export type { ModelSource, SpawnRequest } from "./session/options.ts";
export {
  type Restoring,
  type ResumableSession,
  type ResumeRequest,
  resumeSession,
} from "./session/resume-session.ts";
export type { SessionActors, SupervisorHandle as SessionHandle } from "./session/supervisor-handle.ts";
export type { Limits } from "./settings/limits.ts";
export type { PermissionMode, Rule } from "./settings/permissions.ts";
export type { StopScope } from "./supervisor/lifecycle.ts";
export {
  type CallContext,
  type CustomTool,
  defineTool,
  failed,
  type ToolFailure,
  type ToolSpec,
} from "./tools/define-tool.ts";
