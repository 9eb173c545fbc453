import type * as Rpc from "../mailbox/rpc/table.ts";
import {
  ApplyAnswer,
  ApplyRequest,
  ClaimAnswer,
  CreateAnswer,
  CreateRequest,
  DiffAnswer,
  DoneAnswer,
  EverTrackedAnswer,
  EverTrackedRequest,
  InspectAnswer,
  InspectRequest,
  KeepAnswer,
  KeepRequest,
  ListAnswer,
  MergeNamedAnswer,
  MergeNamedRequest,
  NamedRequest,
  OverlapAnswer,
  OverlapRequest,
  PrepareAnswer,
  PrepareRequest,
  RebaseAnswer,
  RebaseRequest,
  type RefusedRequest,
  RemovedAnswer,
  RemoveNamedRequest,
  RemoveRequest,
  RestoreAnswer,
  SettleRequest,
  SnapshotAnswer,
  SnapshotRequest,
  SweepAnswer,
  UndoAnswer,
  UndoRequest,
} from "./requests.ts";

/** Every operation of the git worker, with its request and response. */
export const GIT_OPERATIONS = {
  inspect: { request: InspectRequest, response: InspectAnswer },
  /** If aborted, it keeps what was read, and the next request continues from there. */
  everTracked: { request: EverTrackedRequest, response: EverTrackedAnswer },
  create: { request: CreateRequest, response: CreateAnswer },
  claim: { request: CreateRequest, response: ClaimAnswer },
  snapshot: { request: SnapshotRequest, response: SnapshotAnswer },
  overlap: { request: OverlapRequest, response: OverlapAnswer },
  prepare: { request: PrepareRequest, response: PrepareAnswer },
  /** Cannot be aborted half-way: either everything is in the checkout, or nothing. */
  apply: { request: ApplyRequest, response: ApplyAnswer },
  settle: { request: SettleRequest, response: DoneAnswer },
  rebase: { request: RebaseRequest, response: RebaseAnswer },
  keep: { request: KeepRequest, response: KeepAnswer },
  remove: { request: RemoveRequest, response: DoneAnswer },
  list: { request: InspectRequest, response: ListAnswer },
  diff: { request: NamedRequest, response: DiffAnswer },
  restore: { request: NamedRequest, response: RestoreAnswer },
  removeNamed: { request: RemoveNamedRequest, response: RemovedAnswer },
  mergeNamed: { request: MergeNamedRequest, response: MergeNamedAnswer },
  undo: { request: UndoRequest, response: UndoAnswer },
  sweep: { request: InspectRequest, response: SweepAnswer },
} as const;

export type OperationName = keyof typeof GIT_OPERATIONS;
export type GitRequest<Op extends OperationName> = Rpc.RequestOf<typeof GIT_OPERATIONS, Op>;
/** The response of an operation that was possible: it throws a `GitRefusal` otherwise. */
export type SuccessOf<Op extends OperationName> = Exclude<AnswerOf<Op>, RefusedRequest>;
export type AnswerOf<Op extends OperationName> = Rpc.ResponseOf<typeof GIT_OPERATIONS, Op>;
