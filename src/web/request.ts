import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import type { Transform } from "node:stream";

/** Bytes of one response, both compressed and unpacked. */
export const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

export interface WebRequest {
  readonly url: URL;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly lookup?: LookupFunction;
  /** Certificates to trust in addition to the system's. */
  readonly ca?: string;
  readonly signal: AbortSignal;
}

export interface WebResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isCut: boolean;
}

export class EncodingError extends Error {}

const IDENTITY = {
  "user-agent": "Mozilla/5.0 (compatible; Troupe-WebFetch)",
  "accept-encoding": "gzip, deflate, br",
};

/** Uses a connection of its own, without cookies; a redirect is an ordinary response. */
export async function sendRequest({ url, method = "GET", body, ...given }: WebRequest): Promise<WebResponse> {
  const { signal } = given;
  const { request } = url.protocol === "http:" ? await import("node:http") : await import("node:https");
  signal.throwIfAborted();
  const sent = request(url, {
    method,
    headers: { ...IDENTITY, ...given.headers },
    // A connection that was kept would skip the lookup, and so the guard.
    agent: false,
    // Even if the environment says otherwise.
    rejectUnauthorized: true,
    ...(given.lookup ? { lookup: given.lookup } : {}),
    ...(given.ca ? { ca: given.ca } : {}),
  });
  const abort = () => sent.destroy(reasonOf(signal));
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once("response", resolve);
      sent.on("error", reject);
      sent.end(body);
    });
    const read = await readBody(response);
    return { status: response.statusCode ?? 0, headers: response.headers, ...read };
  } catch (error) {
    throw signal.aborted ? reasonOf(signal) : error;
  } finally {
    signal.removeEventListener("abort", abort);
    sent.destroy();
  }
}

async function readBody(response: IncomingMessage): Promise<Pick<WebResponse, "body" | "isCut">> {
  const { pipeline, Transform: Piping } = await import("node:stream");
  const pieces: Buffer[] = [];
  let received = 0;
  let size = 0;
  let isCut = false;
  const counter = new Piping({
    transform(piece: Buffer, _, done) {
      received += piece.length;
      isCut ||= received > MAX_RESPONSE_BYTES;
      done(isCut ? new Error("too large") : null, piece);
    },
  });
  const unpackers = await unpackersFor(response.headers["content-encoding"]);
  const last = unpackers.at(-1) ?? counter;
  // An error in any of them ends the last one, too.
  pipeline([response, counter, ...unpackers], () => {});
  try {
    for await (const piece of last as AsyncIterable<Buffer>) {
      const room = MAX_RESPONSE_BYTES - size;
      pieces.push(piece.length > room ? piece.subarray(0, room) : piece);
      size += Math.min(piece.length, room);
      isCut ||= piece.length > room;
      if (isCut) break;
    }
  } catch (error) {
    // A cut response cannot be unpacked to its end.
    if (!isCut) throw error;
  }
  return { body: Buffer.concat(pieces), isCut };
}

/** More encodings are a bomb, not a page. */
const MOST_ENCODINGS = 2;

async function unpackersFor(encoding: string | undefined): Promise<Transform[]> {
  const names = (encoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length === 0) return [];
  if (names.length > MOST_ENCODINGS) throw new EncodingError(`it is compressed ${names.length} times`);
  const zlib = await import("node:zlib");
  return names.reverse().map((name) => {
    switch (name) {
      case "gzip":
      case "x-gzip":
        return zlib.createGunzip();
      case "deflate":
        return zlib.createInflate();
      case "br":
        return zlib.createBrotliDecompress();
      default:
        throw new EncodingError(`it is compressed as ${JSON.stringify(name.slice(0, 40))}`);
    }
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
