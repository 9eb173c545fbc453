import * as z from "zod/mini";

/** A language server as settings name it (`troupe.languageServers`), by the name of its language. */
const Entry = z.object({
  command: z.string().check(z.minLength(1)),
  args: z._default(z.array(z.string()), []),
  /** What the protocol calls the language of files with an ending, such as `{".ex": "elixir"}`. */
  extensionToLanguage: z.record(z.string().check(z.regex(/^\.[^/\\]+$/)), z.string()),
  env: z._default(z.record(z.string(), z.string()), {}),
  initializationOptions: z.optional(z.unknown()),
  /** What the server is told when it asks for its configuration. */
  settings: z.optional(z.record(z.string(), z.unknown())),
});
export type ServerEntry = z.infer<typeof Entry>;

export interface ReadEntries {
  /** By language. Null: settings switch the language off. */
  readonly entries: ReadonlyMap<string, ServerEntry | null>;
  /** Sentences for the person. */
  readonly problems: readonly string[];
}

export function readServerEntries(said: Readonly<Record<string, unknown>>): ReadEntries {
  const entries = new Map<string, ServerEntry | null>();
  const problems: string[] = [];
  for (const [name, value] of Object.entries(said)) {
    if (isOff(value)) {
      entries.set(name, null);
      continue;
    }
    const parsed = Entry.safeParse(value);
    if (parsed.success) entries.set(name, parsed.data);
    else {
      const where = parsed.error.issues[0]?.path.join(".") || "it";
      problems.push(
        `troupe.languageServers: ${JSON.stringify(name)} cannot be used, because ${where} is not right. Example: {"command": "elixir-ls", "extensionToLanguage": {".ex": "elixir"}}.`,
      );
    }
  }
  return { entries, problems };
}

function isOff(value: unknown): boolean {
  return typeof value === "object" && value !== null && "disabled" in value && value.disabled === true;
}
