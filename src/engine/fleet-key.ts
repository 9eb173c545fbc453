import { randomBytes } from "node:crypto";
import { constants, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, errorMessage, isMissing } from "../lib/errors.ts";

const KEY_BYTES = 32;

/** Creates a file with a new fleet key that only its owner can read. Throws if the file exists. */
export async function createFleetKey(path: string): Promise<Uint8Array> {
  const key = randomBytes(KEY_BYTES);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "wx", 0o600).catch((error: unknown) => {
    if (errorCode(error) === "EEXIST")
      throw new Error(`${path} exists already. Use it, or choose another path for a new fleet key.`);
    throw new Error(`Cannot create the fleet key ${path}: ${errorMessage(error)}.`);
  });
  try {
    await file.writeFile(`${key.toString("base64url")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return key;
}

/** Reads a fleet key. Throws if it does not exist, or if others than its owner can read it. */
export async function readFleetKey(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (isMissing(error))
      throw new Error(
        `The fleet key ${path} does not exist. Create one with \`troupe runners key\`, and copy it to each machine.`,
      );
    throw new Error(`Cannot read the fleet key ${path}: ${errorMessage(error)}.`);
  });
  try {
    // Of the open file, so that no other file is read than the one that was looked at.
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`The fleet key ${path} is not a file.`);
    if ((stat.mode & 0o077) !== 0)
      throw new Error(`Others can read the fleet key ${path}. Run \`chmod 600 ${path}\`.`);
    if (stat.size > 1024) throw damaged(path, "it is too large");
    const text = (await file.readFile("utf8")).trim();
    const key = Buffer.from(text, "base64url");
    if (!/^[\w-]{43}$/.test(text) || key.length !== KEY_BYTES)
      throw damaged(path, `it does not contain ${KEY_BYTES} bytes`);
    return key;
  } finally {
    await file.close();
  }
}

function damaged(path: string, why: string): Error {
  return new Error(
    `The fleet key ${path} is damaged: ${why}. Copy it from another machine of the fleet, or delete it and create the key of a new fleet with \`troupe runners key\`.`,
  );
}
