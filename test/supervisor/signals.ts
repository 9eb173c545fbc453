/** Lets a script wait for what another one does. */
export function signals() {
  const all = new Map<string, PromiseWithResolvers<void>>();
  return (name: string) => {
    const known = all.get(name) ?? Promise.withResolvers<void>();
    all.set(name, known);
    return known;
  };
}
