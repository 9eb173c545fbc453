// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.6 `printf`: a literal format without `%n`, and no `-v`, however they are spelt. */
export const plainPrintf: readonly Group[] = [
  {
    about: "§5.6 formats of printf",
    allow: lines`
      printf x ¦ printf '%s\n' a b ¦ printf '%d %5.2f\n' 1 2 ¦ printf '%q\n' 'a b' ¦ printf '%b' 'a\n'
      printf '%x\n' 255 ¦ printf '%-10s|%5d\n' a 1 ¦ printf '100%%\n' ¦ printf "a\tb\n" ¦ printf '%s\n' "$(date)"
      printf '%c' x
    `,
    ask: [
      ...lines`
        printf %n PATH ¦ printf '%n' PATH ¦ printf "%n" PATH ¦ printf '%'n PATH ¦ printf "%"'n' PATH
        printf \%n PATH ¦ printf $'%n' PATH ¦ printf $'\x25n' PATH ¦ printf $'%\x6e' PATH ¦ printf $'\45n' PATH
        printf $'\u0025n' PATH ¦ printf '%s%n' a PATH ¦ printf '%%%n' PATH ¦ printf '%5n' PATH ¦ printf '%-n' PATH
        printf '%+n' PATH ¦ printf '% n' PATH ¦ printf '%#n' PATH ¦ printf '%0n' PATH ¦ printf '%.3n' PATH
        printf '%*n' 5 PATH ¦ printf '%.*n' 5 PATH ¦ printf '%ln' PATH ¦ printf '%lln' PATH ¦ printf '%hn' PATH
        printf '%hhn' PATH ¦ printf '%jn' PATH ¦ printf '%zn' PATH ¦ printf '%tn' PATH ¦ printf '%Ln' PATH
        printf "%'n" PATH ¦ printf -v x a ¦ printf -vx a ¦ printf -v PATH x; ls ¦ printf '-v' PATH x
        printf {-v,PATH} x ¦ builtin printf '%n' PATH ¦ command printf '%n' PATH ¦ command printf -v PATH x
        printf "$X" ¦ printf "$(cat a)" ¦ printf "a$(cat a)" PATH ¦ printf $X ¦ for f in a b; do printf $f; done
        for f in '%n'; do printf $f PATH; done ¦ for f in '%n'; do printf "x$f" PATH; done
      `,
      "printf '%\\\nn' PATH",
      'printf "%\\\nn" PATH',
      "printf '%s' a >&2; printf '%n' IFS",
    ],
  },
];
