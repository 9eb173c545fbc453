// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

const hidden = lines`
  touch x ¦ ./evil.sh
`;

/** Where a command can hide: `%%` is the place (§5.2). */
const places = [
  ...lines`
    echo $(%%) ¦ echo "$(%%)" ¦ echo \`%%\` ¦ echo "\`%%\`" ¦ echo "a $(echo "$(%%)") b" ¦ echo "\${x:-$(%%)}"
    echo \${x:-$(%%)} ¦ echo \${x:=$(%%)} ¦ echo \${x:+$(%%)} ¦ echo \${x:?$(%%)} ¦ echo \${x%$(%%)}
    echo \${x##$(%%)} ¦ echo \${x/$(%%)/b} ¦ echo \${x/a/$(%%)} ¦ echo \${x:$(%%)} ¦ echo \${x:0:$(%%)}
    echo \${x[$(%%)]} ¦ echo \${x^^$(%%)} ¦ echo \${#x[$(%%)]} ¦ echo \${!x[$(%%)]} ¦ echo $((1 + $(%%)))
    echo $((a[$(%%)])) ¦ echo $(( \${x:-$(%%)} )) ¦ echo $[ $(%%) ] ¦ echo $[a[$(%%)]] ¦ echo {a,$(%%)}
    echo ~$(%%) ¦ echo a$(%%)b ¦ echo 'a'"$(%%)" ¦ ls; x=$(%%) ¦ x=$(%%) ls ¦ x[$(%%)]=1 ¦ x=([$(%%)]=1)
    x=(a $(%%)) ¦ declare x=$(%%) ¦ export x="$(%%)" ¦ local x=\`%%\` ¦ readonly x[$(%%)]=1 ¦ [[ -n $(%%) ]]
    [[ a == $(%%) ]] ¦ [[ a =~ $(%%) ]] ¦ [[ -v a[$(%%)] ]] ¦ [[ -v 'a[$(%%)]' ]] ¦ [[ a[$(%%)] -eq 1 ]]
    [[ 'a[$(%%)]' -eq 1 ]] ¦ [[ 1 -lt 'a[$(%%)]' ]] ¦ [[ ! ( -n $(%%) && a ) ]] ¦ test -v 'a[$(%%)]'
    [ -v 'a[$(%%)]' ] ¦ [ "$(%%)" = x ] ¦ ((x = $(%%))) ¦ ((a[$(%%)])) ¦ (( $(%%) ))
    for ((i = $(%%); i < 1; i++)); do ls; done ¦ for ((i = 0; i < $(%%); i++)); do ls; done
    for i in $(%%); do ls; done ¦ for i in a; do %%; done ¦ select i in $(%%); do ls; done
    case $(%%) in x) ls;; esac ¦ case x in $(%%)) ls;; esac ¦ case x in x) %%;; esac
    case x in y) ls;& *) %%;; esac ¦ case x in y) ls;;& *) %%;; esac ¦ if %%; then ls; fi ¦ if ls; then %%; fi
    if ls; then ls; else %%; fi ¦ if ls; then ls; elif %%; then ls; fi ¦ while %%; do ls; done
    while ls; do %%; done ¦ until %%; do ls; done ¦ (%%) ¦ ( ( %% ) ) ¦ { %%; } ¦ ! %% ¦ ls && %% ¦ ls || %%
    ls; %% ¦ ls & %% ¦ ls | %% ¦ ls |& %% ¦ %% | ls ¦ ls &&! %% ¦ time %% ¦ time -p -- %% ¦ coproc %%
    coproc name { %%; } ¦ f() { %%; }; f ¦ f() (%%); f ¦ function f { %%; }; f ¦ f() { %%; }
    f() if %%; then ls; fi ¦ cat <(%%) ¦ cat < <(%%) ¦ diff <(ls) <(%%) ¦ ls > >(%%) ¦ ls 2> >(%%) ¦ ls > $(%%)
    cat < $(%%) ¦ cat <<< $(%%) ¦ cat <<< "$(%%)" ¦ cat <<< \${x:-\`%%\`} ¦ cat 3<<< "$(%%)" README.md
    echo "\${ %%; }" ¦ echo \${ %%; } ¦ echo \${| %%; }
  `,
  "cat <<EOF\n$(%%)\nEOF",
  "cat <<EOF\n`%%`\nEOF",
  "cat <<-EOF\n\t${x:-$(%%)}\n\tEOF",
  "cat <<EOF\n$((a[$(%%)]))\nEOF",
  'cat <<EOF\n"$(%%)"\nEOF',
  "cat <<A <<'B'\n$(%%)\nA\n$(true)\nB",
  "cat <<'A' <<B\n$(true)\nA\n$(%%)\nB",
  "ls\n%%",
  "ls # a comment\n%%",
  "ls \\\n; %%",
  "ls;\\\n%%",
  "ls # a comment \\\n%%",
  "echo 'a\nb'; %%",
  "cat <<'EOF'\nx\nEOF\n%%",
  "cat <<\\EOF\nx\nEOF\n%%",
  'cat <<"E"OF\nx\nEOF\n%%',
  "cat <<EOF; %%\nx\nEOF",
  "cat <<EOF && %%\nx\nEOF",
  "cat <<-EOF\n\tx\n\tEOF\n%%",
];

/** §5.2: nothing hides in the grammar. */
export const parsing: readonly AttackGroup[] = [
  {
    about: "commands that hide in words, lists, loops and documents",
    tier: "both",
    ask: places.flatMap((place) => hidden.map((command) => place.replaceAll("%%", () => command))),
  },
  {
    about: "commands that hide, under a deny rule and a bare allow",
    rules: { allow: ["Bash"], deny: ["Bash(touch:*)"] },
    deny: places
      .filter((place) => !place.includes("'a[$(") && !place.includes("${ ") && !place.includes("${|"))
      .map((place) => place.replaceAll("%%", () => "touch x")),
  },
];
