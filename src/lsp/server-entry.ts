import * as z from "zod/mini";

/** A language server of the setting `troupe.languageServers`, by the name of its language. */
const Entry = z.object({
  command: z.string().check(z.minLength(1)),
  args: z._default(z.array(z.string()), []),
  /** By ending, the protocol's name of the language, such as `{".ex": "elixir"}`. */
  extensionToLanguage: z.record(z.string().check(z.regex(/^\.[^/\\]+$/)), z.string()),
  env: z._default(z.record(z.string(), z.string()), {}),
  initializationOptions: z.optional(z.unknown()),
  /** The answer to the server's request for its configuration. */
  settings: z.optional(z.record(z.string(), z.unknown())),
});
export type LanguageServerEntry = z.infer<typeof Entry>;

export interface ReadEntries {
  /** By language. Null if settings disable the language. */
  readonly entries: ReadonlyMap<string, LanguageServerEntry | null>;
  readonly problems: readonly string[];
}

export function readServerEntries(setting: Readonly<Record<string, unknown>>): ReadEntries {
  const entries = new Map<string, LanguageServerEntry | null>();
  const problems: string[] = [];
  for (const [name, value] of Object.entries(setting)) {
    if (isDisabled(value)) {
      entries.set(name, null);
      continue;
    }
    const parsed = Entry.safeParse(value);
    if (parsed.success) entries.set(name, parsed.data);
    else {
      const where = parsed.error.issues[0]?.path.join(".") || "it";
      problems.push(
        `troupe.languageServers: ${JSON.stringify(name)} cannot be used, because ${where} is invalid. Example: {"command": "elixir-ls", "extensionToLanguage": {".ex": "elixir"}}.`,
      );
    }
  }
  return { entries, problems };
}

function isDisabled(value: unknown): boolean {
  return typeof value === "object" && value !== null && "disabled" in value && value.disabled === true;
}
