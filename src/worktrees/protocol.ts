import * as z from "zod/mini";
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

/** What travels between a session and its keeper of trees. A ticket is the session's own number for a request. */

const TABLE = {
  inspect: { request: InspectRequest, answer: InspectAnswer },
  everTracked: { request: EverTrackedRequest, answer: EverTrackedAnswer },
  create: { request: CreateRequest, answer: CreateAnswer },
  claim: { request: CreateRequest, answer: ClaimAnswer },
  snapshot: { request: SnapshotRequest, answer: SnapshotAnswer },
  overlap: { request: OverlapRequest, answer: OverlapAnswer },
  prepare: { request: PrepareRequest, answer: PrepareAnswer },
  apply: { request: ApplyRequest, answer: ApplyAnswer },
  settle: { request: SettleRequest, answer: DoneAnswer },
  rebase: { request: RebaseRequest, answer: RebaseAnswer },
  keep: { request: KeepRequest, answer: KeepAnswer },
  remove: { request: RemoveRequest, answer: DoneAnswer },
  list: { request: InspectRequest, answer: ListAnswer },
  diff: { request: NamedRequest, answer: DiffAnswer },
  restore: { request: NamedRequest, answer: RestoreAnswer },
  removeNamed: { request: RemoveNamedRequest, answer: RemovedAnswer },
  mergeNamed: { request: MergeNamedRequest, answer: MergeNamedAnswer },
  undo: { request: UndoRequest, answer: UndoAnswer },
  sweep: { request: InspectRequest, answer: SweepAnswer },
} as const;

export type OperationName = keyof typeof TABLE;
export type RequestOf<Op extends OperationName> = z.infer<(typeof TABLE)[Op]["request"]>;
export type AnswerOf<Op extends OperationName> = z.infer<(typeof TABLE)[Op]["answer"]>;

/** Every operation: what it is asked with, and what it answers. */
export const OPERATIONS: {
  readonly [Op in OperationName]: {
    readonly request: z.ZodMiniType<RequestOf<Op>>;
    readonly answer: z.ZodMiniType<AnswerOf<Op>>;
  };
} = TABLE;

const Ticket = z.number();

export const ToKeeper = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ask"),
    ticket: Ticket,
    /** A key of `OPERATIONS`, whose schema the request is checked by. */
    op: z.string(),
    request: z.unknown(),
  }),
  z.object({ type: z.literal("cancel"), ticket: Ticket }),
]);
export type ToKeeper = z.infer<typeof ToKeeper>;

export const FromKeeper = z.discriminatedUnion("type", [
  /** Checked by the schema of what was asked. */
  z.object({ type: z.literal("answer"), ticket: Ticket, answer: z.unknown() }),
  /** It was cancelled, and is taken back. */
  z.object({ type: z.literal("cancelled"), ticket: Ticket }),
  /** A bug. */
  z.object({ type: z.literal("failed"), ticket: Ticket, message: z.string() }),
]);
export type FromKeeper = z.infer<typeof FromKeeper>;
