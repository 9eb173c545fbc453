/**
 * The variables of the user's environment that a command may see: locations, identity, language and network. Everything
 * else stays out until the user names it, because an unknown variable may hold a credential. `PREFIX_*` matches all
 * names with this prefix.
 */
const ALLOWED = [
  "PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP HOSTNAME TZ LANG LANGUAGE LC_* TERM COLORTERM COLUMNS LINES",
  "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI NODE_ENV DEBIAN_FRONTEND SOURCE_DATE_EPOCH IS_SANDBOX",
  "XDG_CACHE_HOME XDG_CONFIG_DIRS XDG_CONFIG_HOME XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME",
  "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL TROUPE_HOME CLAUDE_CONFIG_DIR",
  // The network, and the certificates to trust there.
  "HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY NIX_SSL_CERT_FILE SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO GIT_SSL_CAPATH CARGO_HTTP_CAINFO PIP_CERT AWS_CA_BUNDLE",
  // The locations of languages and their tools.
  "JAVA_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT GOPATH GOROOT GOBIN",
  "GOCACHE GOMODCACHE GOPROXY CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN NVM_DIR NVM_BIN FNM_DIR",
  "VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR NPM_CONFIG_REGISTRY NPM_CONFIG_CACHE NPM_CONFIG_CAFILE",
  "NPM_CONFIG_PREFIX COREPACK_HOME VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT UV_CACHE_DIR POETRY_HOME",
  "PIP_CACHE_DIR PIPX_HOME GEM_HOME GEM_PATH RBENV_ROOT COMPOSER_HOME DOTNET_ROOT NUGET_PACKAGES ASDF_DIR",
  "ASDF_DATA_DIR MISE_DATA_DIR HOMEBREW_PREFIX HOMEBREW_CELLAR NIX_PATH NIX_PROFILES LOCALE_ARCHIVE PKG_CONFIG_PATH",
  // What Windows and WSL need to start anything.
  "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA",
  "PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 NUMBER_OF_PROCESSORS PROCESSOR_* WSL_DISTRO_NAME",
  "WSL_INTEROP",
].flatMap((line) => line.split(" "));

/** Credentials of the model: no child of an agent may see them, whatever settings say. */
const OPENS_THE_MODEL =
  /^(?:ANTHROPIC|CLAUDE|TROUPE)_(?:\w+_)?(?:KEY|TOKEN|SECRET)$|^ANTHROPIC_CUSTOM_HEADERS$/i;

/** Names that hold a credential. A user may give each one to commands, but not by a prefix. */
const OPENS_SOMETHING = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i;

/** Troupe's own: a child that is a Node program must not write into our compile cache. */
const OUR_NAMES = new Set(["NODE_COMPILE_CACHE"]);

/** Variables that make bash run something first, or parse a command in another way than it was checked. */
const STEERS_BASH =
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_COMPAT|BASH_LOADABLES_PATH|BASH_XTRACEFD|POSIXLY_CORRECT|CDPATH|GLOBIGNORE|EXECIGNORE|PS4|PROMPT_COMMAND|TMOUT|IFS)$|^BASH_FUNC_/i;

/** Variables that make any program run other code first. */
const STEERS_PROGRAMS =
  /^(?:LD|DYLD)_|^(?:NODE_OPTIONS|GCONV_PATH|PYTHONSTARTUP|PERL5OPT|PERL5DB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/i;

/**
 * Variables that give git another repository, index, directory or configuration: an agent's git must use its own
 * worktree. The author, and how to reach a server, are not among them.
 */
const STEERS_GIT =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG|CONFIG_\w+|EXEC_PATH|TEMPLATE_DIR|PREFIX|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|QUARANTINE_PATH|IMPLICIT_WORK_TREE|INTERNAL_\w+|ATTR_\w+)$/i;

/** Returns the harmless part of the user's variables, and those that settings add (`troupe.commandEnv`). */
export function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  added: readonly string[] = [],
): Record<string, string> {
  const allowed = [...namesOf(ALLOWED, () => true), ...namesOf(added, (name) => !OPENS_SOMETHING.test(name))];
  return commandsOwn(
    Object.fromEntries(Object.entries(env).filter(([name]) => allowed.some((allows) => allows(name)))),
  );
}

/** Removes names and values with credentials, and the temporary directory, because a confined program has its own. */
export function withoutCredentials(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => !OPENS_SOMETHING.test(name) && !/:\/\/[^/]*@/.test(value) && !TEMPORARY.test(name),
  );
  return { ...Object.fromEntries(kept), TMPDIR: "/tmp" };
}

const TEMPORARY = /^(?:TMPDIR|TMP|TEMP)$/;

/** Returns the additions to a command's environment, without forbidden variables. */
export function commandsOwn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(cleanEnvironment(env)).filter(([name]) => !STEERS_GIT.test(name)));
}

/** Removes what no child may get: unset variables, Troupe's own, the model's credentials and what steers programs. */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || OUR_NAMES.has(name) || OPENS_THE_MODEL.test(name)) continue;
    if (!STEERS_BASH.test(name) && !STEERS_PROGRAMS.test(name)) clean[name] = value;
  }
  return clean;
}

/** Ignores case, as in `http_proxy` and `Path`. `byPrefix`: what a prefix may bring in. */
function namesOf(
  patterns: readonly string[],
  byPrefix: (name: string) => boolean,
): readonly ((name: string) => boolean)[] {
  const exact = new Set(patterns.filter((name) => !name.endsWith("*")).map((name) => name.toUpperCase()));
  // A bare `*` would be the whole environment.
  const prefixes = patterns
    .filter((name) => name.endsWith("*") && name.length > 1)
    .map((name) => name.slice(0, -1).toUpperCase());
  return [
    (name) => exact.has(name.toUpperCase()),
    (name) => byPrefix(name) && prefixes.some((prefix) => name.toUpperCase().startsWith(prefix)),
  ];
}
