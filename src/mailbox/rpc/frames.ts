/** Why a request has no value. */
export type FailureKind =
  /** The function that serves it threw. */
  | "failed"
  /** The request or its response does not fit the table. */
  | "malformed"
  /** The caller cancelled it. */
  | "cancelled"
  /** Its deadline has passed. */
  | "late"
  /** The channel closed before the response came. */
  | "gone"
  /** The request is not plain data. */
  | "unsendable";

export interface Failure {
  readonly ok: false;
  readonly kind: FailureKind;
  readonly message: string;
}

/** The result of a request. Nothing rejects, as an error would lose its class in transit. */
export type Result<Value> = { readonly ok: true; readonly value: Value } | Failure;

/** Of a frame that no side waits for: over a network it may wait a moment for another one that takes it along. */
interface Patient {
  readonly patient?: true;
}

/** What a channel carries. `id` is the caller's own number of a request. */
export type Frame =
  /** `key`: the same request under the same key is served once. */
  | (Patient & {
      readonly type: "request";
      readonly id: number;
      readonly method: string;
      readonly body: unknown;
      readonly key?: string;
    })
  | { readonly type: "cancel"; readonly id: number }
  /** An event of a request that is still being served. */
  | { readonly type: "event"; readonly id: number; readonly body: unknown }
  | (Patient & { readonly type: "response"; readonly id: number; readonly result: Result<unknown> })
  /** A one-way message. */
  | (Patient & { readonly type: "notice"; readonly name: string; readonly body: unknown });

/** Checks the frame alone; the table checks its content. */
export function isFrame(raw: unknown): raw is Frame {
  if (typeof raw !== "object" || raw === null || !("type" in raw)) return false;
  if (raw.type === "notice") return "name" in raw && typeof raw.name === "string";
  if (!("id" in raw) || typeof raw.id !== "number") return false;
  switch (raw.type) {
    case "cancel":
    case "event":
      return true;
    case "request":
      return "method" in raw && typeof raw.method === "string" && isKey("key" in raw ? raw.key : undefined);
    case "response":
      return "result" in raw && isResult(raw.result);
    default:
      return false;
  }
}

export function failure(kind: FailureKind, message: string): Failure {
  return { ok: false, kind, message };
}

function isKey(raw: unknown): boolean {
  return raw === undefined || typeof raw === "string";
}

function isResult(raw: unknown): boolean {
  if (typeof raw !== "object" || raw === null || !("ok" in raw)) return false;
  return raw.ok === true || ("kind" in raw && "message" in raw && typeof raw.message === "string");
}
