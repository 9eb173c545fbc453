export type Expanded =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "unset"; readonly variable: string };

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Returns the variables that a text names without a default. */
export function variablesIn(text: string): readonly string[] {
  const found = [...text.matchAll(VARIABLE)].flatMap(([, name = "", fallback]) =>
    fallback === undefined ? [name] : [],
  );
  return [...new Set(found)];
}

/** Fills in `${VAR}` and `${VAR:-default}`, as a shell does. Other text is unchanged, also `$VAR`. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  let unset: string | null = null;
  const filled = text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined) unset ??= name;
    return value ?? "";
  });
  return unset === null ? { type: "text", text: filled } : { type: "unset", variable: unset };
}
