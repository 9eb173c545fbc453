import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * Seals what crosses the engine, for one session: all holders of the fleet key can open it, and the engine's operator can
 * neither read nor change it, nor move it to another topic. It does not tell a message from its repetition: what must
 * not be replayed has its counters in `about`, which both sides must know.
 */
export interface Seal {
  seal(topic: string, text: string, about?: string): string;
  /** Returns null if it was not sealed for this session, topic and `about` with the same fleet key. */
  open(topic: string, sealed: string, about?: string): string | null;
  sealBytes(topic: string, bytes: Uint8Array, about?: string): Uint8Array;
  openBytes(topic: string, sealed: Uint8Array, about?: string): Uint8Array | null;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Longer texts are compressed: the tools of an agent are most of what is sent for it. */
const PLAIN_BYTES = 1024;
const MOST_BYTES = 64 * 1024 * 1024;
const [PLAIN, DEFLATED] = [0, 1];

export function createSeal(fleetKey: Uint8Array, session: string): Seal {
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", fleetKey, session, "troupe session", 32)));
  const sealBytes: Seal["sealBytes"] = (topic, bytes, about = "") => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    cipher.setAAD(context(topic, about));
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  };
  const openBytes: Seal["openBytes"] = (topic, sealed, about = "") => {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(context(topic, about));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    try {
      return Buffer.concat([opened, decipher.final()]);
    } catch {
      return null;
    }
  };
  return {
    sealBytes,
    openBytes,
    seal: (topic, text, about) => Buffer.from(sealBytes(topic, pack(text), about)).toString("base64"),
    open(topic, sealed, about) {
      const opened = openBytes(topic, Buffer.from(sealed, "base64"), about);
      return opened === null ? null : unpack(opened);
    },
  };
}

function pack(text: string): Buffer {
  const bytes = Buffer.from(text);
  return bytes.length > PLAIN_BYTES
    ? Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes)])
    : Buffer.concat([Buffer.of(PLAIN), bytes]);
}

function unpack(packed: Uint8Array): string | null {
  const bytes = packed.subarray(1);
  if (packed[0] === PLAIN) return Buffer.from(bytes).toString();
  try {
    return inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }).toString();
  } catch {
    return null;
  }
}

/** Two parts, so that no topic with something after it is another topic. */
function context(topic: string, about: string): Buffer {
  return Buffer.from(JSON.stringify([topic, about]));
}
