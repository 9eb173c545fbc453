/** In words, after "it is" or "must be". */
export const POOL_NAME =
  'the name of a pool: up to 128 letters, digits, "-", "_", "." and "@", a letter or digit first';

/** True for the name of a pool of runners. */
export function isPoolName(text: string): boolean {
  return /^[a-z\d][\w.@-]{0,127}$/i.test(text);
}
