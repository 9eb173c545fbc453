import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import * as z from "zod/mini";
import type { HttpServer } from "../server.ts";

/** What is kept of a sign-in: the SDK's own values, unchanged, because it binds them to their issuer. */
export interface SignIn {
  readonly tokens?: OAuthTokens | undefined;
  readonly client?: OAuthClientInformationMixed | undefined;
}

const Kept = z.object({
  tokens: z.optional(z.looseObject({ access_token: z.string(), token_type: z.string() })),
  client: z.optional(z.looseObject({ client_id: z.string() })),
});

/**
 * One server's sign-in, in a file that only this user can read. Named after the server's name and its address: a
 * project that gives a known name to an address of its own gets nobody's tokens.
 */
export class SignInFile {
  readonly path: string;

  constructor(folder: string, { name, url }: HttpServer) {
    const hash = createHash("sha256").update(`${name}\n${url}`).digest("hex").slice(0, 32);
    this.path = join(folder, `${hash}.json`);
  }

  /** Empty where there is none, or none that can be read. */
  read(): SignIn {
    try {
      const parsed = z.safeParse(Kept, JSON.parse(readFileSync(this.path, "utf8")));
      return parsed.success ? parsed.data : {};
    } catch {
      return {};
    }
  }

  /** False: there was none. Throws where it cannot be removed. */
  forget(): boolean {
    const was = this.read().tokens !== undefined;
    rmSync(this.path, { force: true });
    return was;
  }

  /** Throws where it cannot be kept. As a whole or not at all: another session may read it meanwhile. */
  write(signIn: SignIn): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const beside = `${this.path}.${randomUUID()}`;
    try {
      writeFileSync(beside, JSON.stringify(signIn), { mode: 0o600, flag: "wx" });
      renameSync(beside, this.path);
    } finally {
      rmSync(beside, { force: true });
    }
  }
}
