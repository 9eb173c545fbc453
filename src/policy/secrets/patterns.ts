/**
 * The pattern of a secret. Each one reads a text once: repetitions use one class of characters, start at a word and are
 * limited, so that no text makes them slow.
 */
export interface SecretPattern {
  /** The name that replaces it, in brackets. */
  readonly name: string;
  /**
   * Matches every text that has such a secret, also as a JSON string: no boundary before it, because a line break is
   * then `\n`, whose last character is a letter.
   */
  readonly hint: RegExp;
  /** Keeps a group named `kept`. */
  readonly find: RegExp;
}

/** The end of a terminal's colour code is a letter. */
const COLOUR = "\\[[0-9;]{0,16}m";
/** The start of a word. */
const START = `(?:(?<![A-Za-z0-9])|(?<=\\x1b${COLOUR}))`;
/** The same in a JSON string, where a line break ends in a letter as well. */
const START_IN_JSON = `(?:(?<![A-Za-z0-9])|(?<=\\\\(?:[bfnrt]|u[0-9a-f]{4})|${COLOUR}))`;

const secret = (name: string, hint: string, find: string, flags = ""): SecretPattern => ({
  name,
  hint: new RegExp(hint),
  find: new RegExp(find, `g${flags}`),
});

/** Returns the pattern of a provider's key: its prefix, then a number of characters of a class. */
const word = (name: string, begin: string, rest: string): SecretPattern =>
  secret(name, begin, `${START}(?:${begin})${rest}`);

const KEY_BLOCK = "PRIVATE KEY(?: BLOCK)?-----";

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  secret(
    "private key",
    `-----BEGIN [A-Z0-9 ]{0,30}${KEY_BLOCK}`,
    // Its lines may be numbered, or be one line of source code with `\n` in it; the end may be missing.
    `-----BEGIN [A-Z0-9 ]{0,30}${KEY_BLOCK}(?:\\\\[nr]|\\s){1,8}(?:[A-Za-z0-9+/=\\s\\\\,:→|]|-(?!-)){16,}(?:-----END [A-Z0-9 ]{0,30}${KEY_BLOCK})?`,
  ),
  word("Anthropic key", "sk-ant-", "[A-Za-z0-9_-]{16,}"),
  secret(
    "OpenAI key",
    // Not `task-…`, which is frequent in texts.
    `${START_IN_JSON}sk-[A-Za-z0-9_-]{20}`,
    // With a digit near its start: ordinary words start like this, too.
    `${START}sk-(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,}`,
  ),
  word("GitHub token", "gh[pousr]_", "[A-Za-z0-9]{36,255}"),
  word("GitHub token", "github_pat_", "[A-Za-z0-9_]{22,255}"),
  word("GitLab token", "glpat-", "[A-Za-z0-9_-]{20,}"),
  word("AWS key", "(?:AKIA|ASIA|ABIA|ACCA)(?=[A-Z0-9]{16})", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
  secret(
    "AWS key",
    "[Aa][Ww][Ss]_?[Ss][Ee][Cc][Rr][Ee][Tt]",
    `(?<kept>aws_?secret_?access_?key["']?\\s{0,4}[:=]\\s{0,4}["']?)[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])`,
    "i",
  ),
  word("Slack token", "xox[abeoprs]-", "[A-Za-z0-9-]{10,}"),
  word("Slack token", "xapp-", "[0-9][A-Za-z0-9-]{20,}"),
  secret(
    "Slack address",
    "hooks\\.slack\\.com/",
    `(?<kept>hooks\\.slack\\.com/(?:services|workflows)/)[A-Za-z0-9+/]{20,}`,
  ),
  word("Google key", "AIza(?=[A-Za-z0-9_-]{35})", "[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
  word("Google token", "ya29\\.", "[A-Za-z0-9_-]{20,}"),
  word("Google token", "GOCSPX-", "[A-Za-z0-9_-]{20,}"),
  word("npm token", "npm_", "[A-Za-z0-9]{36,}"),
  secret("npm token", "_authToken", `(?<kept>_authToken\\s{0,4}=\\s{0,4}["']?)[A-Za-z0-9._~+/=-]{8,}`),
  word("Stripe key", "[rs]k_(?:live|test)_", "[A-Za-z0-9]{16,}"),
  word("Hugging Face token", "hf_(?=[A-Za-z0-9]{30})", "[A-Za-z0-9]{30,}"),
  word("PyPI token", "pypi-AgE", "[A-Za-z0-9_-]{40,}"),
  secret(
    "web token",
    "\\.eyJ[A-Za-z0-9_-]{8}",
    // Checks each run of its characters only from the start.
    `(?:(?<![A-Za-z0-9_-])|(?<=\\x1b${COLOUR}))eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}`,
  ),
  secret(
    "credential",
    "[Aa][Uu][Tt][Hh][Oo][Rr][Ii][Zz][Aa][Tt][Ii][Oo][Nn]",
    `(?<kept>authorization["']?\\s{0,4}[:=]\\s{0,4}["']?(?:bearer|basic|token) {1,4})[A-Za-z0-9._~+/=-]{8,}`,
    "i",
  ),
  secret("credential", "[Bb][Ee][Aa][Rr][Ee][Rr] ", `(?<kept>\\bbearer {1,4})[A-Za-z0-9._~+/=-]{20,}`, "i"),
  secret(
    "credential",
    "[Xx]-[Aa][Pp][Ii]-[Kk][Ee][Yy]",
    `(?<kept>x-api-key["']?\\s{0,4}[:=]\\s{0,4}["']?)[A-Za-z0-9._~+/=-]{16,}`,
    "i",
  ),
  secret(
    "password",
    `://[^\\s/?#:@"'<>]{0,200}:[^\\s/?#@"'<>]{1,200}@`,
    `(?<kept>://[^\\s/?#:@"'<>]{0,200}:)[^\\s/?#@"'<>]{1,200}(?=@)`,
  ),
];
