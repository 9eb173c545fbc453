/** Letters that stand for themselves in every pattern people write. */
const PLAIN = /^[\w\s-]+(?:\|[\w\s-]+)*$/;
const MCP_SERVER = /^mcp__(?:(?!__).)+$/;
/** A name that is longer is not looked at further: it comes from a server, the pattern from a person. */
const MAX_NAME_CHARS = 256;

/**
 * What a hook's matcher matches: everything (`*`, nothing), one name, several (`Edit|Write`), all tools of an
 * MCP server (`mcp__github`), or a regular expression found anywhere in the name. Throws the `SyntaxError` of
 * an expression that is none.
 */
export function matcherOf(matcher: string): (name: string) => boolean {
  const text = matcher.trim();
  if (text === "" || text === "*") return () => true;
  if (!PLAIN.test(text)) {
    const pattern = new RegExp(text);
    return (name) => pattern.test(name.slice(0, MAX_NAME_CHARS));
  }
  const names = text.split("|").map((name) => name.trim());
  const servers = names.filter((name) => MCP_SERVER.test(name)).map((name) => `${name}__`);
  return (name) => names.includes(name) || servers.some((server) => name.startsWith(server));
}
