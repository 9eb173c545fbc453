import { hash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import * as z from "zod/mini";
import { replaceFile } from "../../lib/files.ts";
import type { HttpServer } from "../server.ts";

/** The SDK's own values, unchanged, because it binds them to their issuer. */
export interface SignIn {
  readonly tokens?: OAuthTokens | undefined;
  readonly client?: OAuthClientInformationMixed | undefined;
}

const Saved = z.object({
  tokens: z.optional(z.looseObject({ access_token: z.string(), token_type: z.string() })),
  client: z.optional(z.looseObject({ client_id: z.string() })),
});

/** Named after the server's name and address: a project that gives a known name another address gets no tokens. */
export class SignInFile {
  readonly path: string;

  constructor(directory: string, { name, url }: HttpServer) {
    const digest = hash("sha256", `${name}\n${url}`).slice(0, 32);
    this.path = join(directory, `${digest}.json`);
  }

  read(): SignIn {
    try {
      return z.parse(Saved, JSON.parse(readFileSync(this.path, "utf8")));
    } catch {
      return {};
    }
  }

  /** Returns false if nothing was saved. Throws if it cannot be removed. */
  forget(): boolean {
    const existed = this.read().tokens !== undefined;
    rmSync(this.path, { force: true });
    return existed;
  }

  /** Throws if it cannot be written. */
  async write(signIn: SignIn): Promise<void> {
    const problem = await replaceFile(this.path, JSON.stringify(signIn), 0o600);
    if (problem !== null) throw new Error(problem);
  }
}
