const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    "written:write wrote:write built:build sent:send chosen:choose chose:choose thrown:throw threw:throw " +
    "ran:run kept:keep held:hold made:make known:know taken:take given:give lost:lose began:begin " +
    "begun:begin broken:break hidden:hide bound:bind caught:catch children:child spoken:speak drawn:draw " +
    "dying:die died:die dies:die tying:tie split:split put:put"
  )
    .split(" ")
    .map((pair): [string, string] => {
      const [form = "", base = ""] = pair.split(":");
      return [form, base];
    }),
);

/** Ending, what stands for it, and how long what remains must be at least. The first that fits counts. */
const ENDINGS: readonly (readonly [RegExp, string, number])[] = [
  [/isions?$/, "id", 4],
  [/olutions?$/, "olv", 4],
  [/ptions?$/, "pt", 5],
  [/(?:ations?|ators?|ating|ated|ates?)$/, "", 4],
  [/i(?:ces|x)$/, "ex", 4],
  [/ions?$/, "", 4],
  [/(?:izing|ized|izes?|izers?)$/, "is", 5],
  [/(?:e?ments?|iness|ness)$/, "", 4],
  [/(?:ies|ied|ier)$/, "y", 3],
  [/ings?$/, "", 3],
  [/sses$/, "ss", 4],
  [/(?:ed|es)$/, "", 3],
  [/(?:ers?|ors?|ables?|ally|ly)$/, "", 4],
  [/(?<!s)s$/, "", 3],
  [/e$/, "", 3],
];

/**
 * What a word has in common with its relatives: decide, decided and decision are one, so are cancel and
 * cancellation. It need not be a word; it is only ever compared with other stems.
 */
export function stem(form: string): string {
  const word = IRREGULAR.get(form) ?? form;
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  for (const [ending, replacement, least] of ENDINGS) {
    const base = word.replace(ending, replacement);
    if (base !== word && base.length >= least && /[aeiouy]/.test(base)) return settled(base);
  }
  return settled(word);
}

/** Doubled consonants (cancelled, running), the two spellings of -ise, and the y and e that endings swallow. */
function settled(base: string): string {
  const single = base.replace(/([bdfgmnprt])\1$|(ll)$/, (_, letter?: string) => letter ?? "l");
  return single.length > 3 ? single.replace(/[ey]$/, "").replace(/iz$/, "is") : single;
}

/** The words in a text or an identifier, in lower case: `parseHTTPHeader_2` is parse, http, header, 2. */
export function subwords(text: string): string[] {
  const words = text.match(/[\u0080-\uffff]/) ? text.match(ANY_WORD) : text.match(ASCII_WORD);
  return (words ?? []).map((word) => word.toLowerCase());
}

const ASCII_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
/** Several times slower, so only for texts that need it. */
const ANY_WORD = /\p{Script=Han}+|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\d+/gu;
