/**
 * Variables that no project's settings may set, trusted or not: they lead the conversation or its key to
 * another server, load code into programs, or replace them (threat model, "untrusted repository").
 */
const OWN =
  /^(?:(?:ANTHROPIC|CLAUDE|TROUPE|NODE(?!_ENV$)|LD|DYLD)_.*|(?:HTTPS?|ALL|NO|FTP)_PROXY|PATH|HOME|SHELL|IS_SANDBOX|BASH_ENV|ENV)$/i;

export function isOwnVariable(name: string): boolean {
  return OWN.test(name);
}
