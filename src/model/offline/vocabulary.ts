/** Words of a question that say nothing about what is searched for. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those there here it its itself they them their he she his her i me my we us our you your " +
    "is are was were be been being am do does did doing done has have had having can could may might must shall " +
    "should will would and or but nor not no yes if else than as at by for from in into of off on onto out over to " +
    "under up upon with within without via per about above across after again against all along also any anything " +
    "anywhere around because before behind below between both down during each either ever every everything few " +
    "how what when where whether which while who whom whose why just like more most much many neither never now " +
    "once one only other own rather same several since so some something such then thus through too toward two " +
    "until us very well yet actually really exactly currently please want need know understand let lets me " +
    "get gets got see say says said sure ok okay thanks thank hello hi hey good morning dear etc eg ie vs " +
    "following dont doesnt isnt cant im ive whats wheres hows " +
    "re ll ve don doesn isn aren wasn didn s t d m"
  ).split(" "),
);

/** Words that open a request; elsewhere in a sentence they may be its subject. */
export const OPENING_WORDS: ReadonlySet<string> = new Set(
  (
    "tell show give explain describe list find search look locate identify determine summarize summarise help " +
    "check cite answer read get use enumerate outline report investigate explore review"
  ).split(" "),
);

/** Words that a question about code has whatever it is about: they are searched for only when nothing else is left. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  (
    "define defined defines definition declare declared declares declaration implement implemented implements " +
    "implementation implementing locate located location live lives handle handled handles handling decide decided decides " +
    "determined happen happens happening work works working use used uses using usage make makes made code codebase file files " +
    "line lines repo repository project source sources program thing things way ways part parts place places exist " +
    "exists come comes go goes take takes put puts purpose mean means meaning logic detail details responsible " +
    "call calls caller callers import imports imported reference references referenced invoke invoked usage usages uses " +
    "document documented documentation tested specified stored kept written set called used actual main important mechanism approach role internally " +
    "function functions method methods class classes module modules variable variables type types constant " +
    "answer answers question questions cite citation citations possible different various certain example"
  ).split(" "),
);

/** Each line: words that programmers use for one another. A related word counts half. */
const RELATED: readonly string[] = [
  "config configuration settings options preferences",
  "error err failure exception fault",
  "message msg mail",
  "argument arg parameter param",
  "directory dir folder",
  "initialize init setup",
  "environment env",
  "temporary tmp temp",
  "maximum max limit cap",
  "minimum min",
  "authentication auth login authenticate authorization",
  "database db storage",
  "command cmd",
  "context ctx",
  "request req",
  "response res reply",
  "execute exec run",
  "identifier id",
  "value val",
  "length len size",
  "index idx",
  "pointer ptr",
  "source src",
  "destination dest dst target",
  "attribute attr",
  "connection conn",
  "transaction tx txn",
  "statistics stats metrics",
  "synchronize sync",
  "asynchronous async",
  "document doc",
  "previous prev",
  "current cur",
  "buffer buf",
  "count cnt number",
  "average avg mean",
  "address addr",
  "password passwd pwd",
  "permission perm access rights",
  "secret key token credential password",
  "specification spec",
  "timeout deadline",
  "end finish stop terminate close exit",
  "start begin launch boot",
  "spawn fork launch start",
  "delete remove erase unlink",
  "create make build new",
  "crash die exit fail error",
  "busy full limit",
  "cancel abort",
  "retry attempt backoff",
  "cache memo memoize",
  "log logger logging",
  "parse parser decode",
  "serialize encode stringify marshal",
  "deserialize decode unmarshal",
  "check validate verify",
  "send emit post dispatch publish",
  "receive recv subscribe",
  "fetch load get",
  "save store persist write",
  "convert transform translate",
  "compare equal diff",
  "calculate compute",
  "schedule scheduler timer",
  "worker thread",
  "wait await sleep",
  "print render display format",
  "version release",
  "encrypt cipher crypto",
  "user account",
  "price cost amount",
  "sort order",
  "random rng seed",
  "unique dedupe distinct",
];

const NEIGHBOURS: ReadonlyMap<string, readonly string[]> = neighbours();

function neighbours(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const group of RELATED.map((line) => line.split(" "))) {
    for (const word of group) {
      const others = group.filter((other) => other !== word);
      found.set(word, [...(found.get(word) ?? []), ...others]);
    }
  }
  return found;
}

/** Words that stand near `word`; none for most. */
export function relatedWords(word: string): readonly string[] {
  return NEIGHBOURS.get(word) ?? [];
}
