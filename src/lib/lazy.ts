/** Returns a function that makes a value when it is first called, and keeps it: what a module builds as it is loaded, each start pays for. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
