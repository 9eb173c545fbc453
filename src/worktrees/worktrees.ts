import type * as z from "zod/mini";
import type {
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

type Answer<Schema extends z.ZodMiniType> = Promise<z.infer<Schema>>;

/**
 * Git worktrees of agents, and how their edits come back (issue "Isolated edits that really come back"). None of these
 * rejects but for a bug or for an aborted `signal`; what cannot be done is `refused`, with a sentence.
 */
export interface Worktrees {
  inspect(request: z.infer<typeof InspectRequest>): Answer<typeof InspectAnswer>;
  /** Aborted, it keeps what was read by then, and the next request goes on from there. */
  everTracked(request: EverTrackedRequest, signal?: AbortSignal): Promise<EverTrackedAnswer>;
  create(request: CreateRequest, signal?: AbortSignal): Promise<CreateAnswer>;
  claim(request: CreateRequest, signal?: AbortSignal): Promise<ClaimAnswer>;
  snapshot(request: SnapshotRequest): Promise<SnapshotAnswer>;
  overlap(request: z.infer<typeof OverlapRequest>): Answer<typeof OverlapAnswer>;
  prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PrepareAnswer>;
  /** Cannot be aborted half-way: either all of it is in the checkout, or nothing. */
  apply(request: ApplyRequest): Promise<ApplyAnswer>;
  settle(request: z.infer<typeof SettleRequest>): Answer<typeof DoneAnswer>;
  rebase(request: z.infer<typeof RebaseRequest>): Promise<RebaseAnswer>;
  keep(request: z.infer<typeof KeepRequest>): Promise<KeepAnswer>;
  remove(request: z.infer<typeof RemoveRequest>): Answer<typeof DoneAnswer>;
  list(request: z.infer<typeof InspectRequest>): Answer<typeof ListAnswer>;
  diff(request: z.infer<typeof NamedRequest>): Answer<typeof DiffAnswer>;
  restore(request: z.infer<typeof NamedRequest>): Answer<typeof RestoreAnswer>;
  removeNamed(request: z.infer<typeof RemoveNamedRequest>): Answer<typeof RemovedAnswer>;
  mergeNamed(
    request: z.infer<typeof MergeNamedRequest>,
    signal?: AbortSignal,
  ): Answer<typeof MergeNamedAnswer>;
  undo(request: UndoRequest): Promise<UndoAnswer>;
  sweep(request: z.infer<typeof InspectRequest>): Answer<typeof SweepAnswer>;
  /** Lets what is under way come to its end, then ends the keeper's process. Idempotent. */
  close(): Promise<void>;
}
