import { lines } from "../lines.ts";
import type { Call, Group } from "./ground.ts";

const fetchOf = (url: string): Call => ["WebFetch", { url, prompt: "x" }];
const urls = (...all: string[]): Call[] => all.map(fetchOf);

const inner = urls(
  ...lines`
    http://127.0.0.1/ ¦ http://127.1/ ¦ http://2130706433/ ¦ http://0x7f000001/ ¦ http://0177.0.0.1/
    http://0x7f.1/ ¦ http://127.0.0.1:8080/ ¦ http://127.255.255.254/ ¦ http://0.0.0.0/ ¦ http://0/ ¦ http://[::1]/
    http://[0:0:0:0:0:0:0:1]/ ¦ http://[::]/ ¦ http://[::ffff:127.0.0.1]/ ¦ http://[::ffff:7f00:1]/
    http://[::127.0.0.1]/ ¦ http://[64:ff9b::7f00:1]/ ¦ http://[fe80::1]/ ¦ http://[fc00::1]/
    http://[fd12:3456::1]/ ¦ http://[ff02::1]/ ¦ http://[2002:7f00:1::]/ ¦ http://10.0.0.1/ ¦ http://172.16.0.1/
    http://172.31.255.255/ ¦ http://192.168.1.1/ ¦ http://3232235777/ ¦ http://169.254.169.254/latest/meta-data
    http://0xa9fea9fe/ ¦ http://[::ffff:a9fe:a9fe]/ ¦ http://[fd00:ec2::254]/ ¦ http://100.64.0.1/
    http://100.127.255.255/ ¦ http://224.0.0.1/ ¦ http://239.1.1.1/ ¦ http://localhost/ ¦ http://LOCALHOST/
    http://localhost./ ¦ http://localhost:3000/ ¦ http://x.localhost/ ¦ http://printer.local/ ¦ http://db.internal/
    http://metadata.google.internal/ ¦ http://１２７.0.0.1/ ¦ http://ⓛocalhost/
  `,
);

export const network: readonly Group[] = [
  { about: "§7 no rules", ask: urls("https://example.com", "http://github.com", "https://docs.rs/") },
  {
    about: "§7 domain:h",
    rules: { allow: ["WebFetch(domain:example.com)"] },
    allow: urls(
      ...lines`
        https://example.com ¦ http://example.com/a?b#c ¦ https://EXAMPLE.com/ ¦ https://example.com./
        https://example.com:8443/x ¦ HTTPS://example.com/ ¦ https://ex%61mple.com/ ¦ https://ｅxample.com/
        https://example.com/@other.com ¦ https://example.com/?u=http://evil.com
      `,
    ),
    ask: urls(
      ...lines`
        https://www.example.com/ ¦ https://example.com.evil.com/ ¦ https://evil-example.com/
        https://evilexample.com/ ¦ https://example.org/ ¦ https://evil.com/example.com
        https://evil.com/?example.com ¦ https://evil.com#example.com
      `,
    ),
    not: urls(
      ...lines`
        https://user@example.com/ ¦ https://user:pw@example.com/ ¦ https://example.com@evil.com/
        https://:@example.com/ ¦ ftp://example.com/ ¦ file://example.com/x ¦ javascript:alert(1) ¦ data:text/plain,x
        ws://example.com/ ¦ gopher://example.com ¦ example.com ¦ //example.com ¦ https://
      `,
      "",
      ...lines`
        not a url ¦ https:\\example.com\ ¦ https://example.com\@evil.com/ ¦ https://example.com/a\b
      `,
      "https://example.com/\n",
      "https://exam\tple.com/",
      "https://example.com/\u0007",
      "https://example.com/\u007f",
      ...lines`
        https://exa mple.com/ ¦ https://[::1 ¦ https://example.com:99999/
      `,
    ),
  },
  {
    about: "§7 *.h",
    rules: { allow: ["WebFetch(domain:*.rust-lang.org)"] },
    allow: urls("https://doc.rust-lang.org/std", "https://a.b.rust-lang.org/", "https://DOC.RUST-LANG.ORG"),
    ask: urls(
      ...lines`
        https://rust-lang.org/ ¦ https://xrust-lang.org/ ¦ https://rust-lang.org.evil.com
        https://doc-rust-lang.org/
      `,
    ),
  },
  {
    about: "§7 * within one label",
    rules: { allow: ["WebFetch(domain:api.*.example.com)", "WebFetch(domain:cdn*.test.org)"] },
    allow: urls("https://api.eu.example.com/", "https://cdn1.test.org/", "https://cdn.test.org/"),
    ask: urls(
      ...lines`
        https://api.a.b.example.com/ ¦ https://api.example.com/ ¦ https://cdn.x.test.org/ ¦ https://xcdn1.test.org/
      `,
    ),
  },
  ...["WebFetch", "WebFetch(*)", "WebFetch(domain:*)"].map(
    (rule): Group => ({
      about: `§7 ${rule} allows all that is outside`,
      rules: { allow: [rule] },
      allow: urls(
        ...lines`
          https://example.com/ ¦ http://8.8.8.8/ ¦ https://[2606:4700::1111]/ ¦ http://172.32.0.1
          http://100.128.0.1/ ¦ https://localhost.example.com/
        `,
      ),
      ask: inner,
      not: urls("ftp://example.com/", "file:///etc/passwd", "https://u:p@example.com/", "https://a.com\\b"),
    }),
  ),
  {
    about: "§7 a rule that names the very host",
    rules: {
      allow: ["WebFetch(domain:localhost)", "WebFetch(domain:127.0.0.1)", "WebFetch(domain:db.internal)"],
    },
    allow: urls(
      ...lines`
        http://localhost:3000/x ¦ http://127.0.0.1:8080/ ¦ http://db.internal/ ¦ http://LOCALHOST./
      `,
    ),
    ask: urls("http://127.0.0.2/", "http://[::1]/", "http://x.localhost/", "http://x.db.internal/"),
  },
  {
    about: "§7 wildcards do not name an inner host",
    rules: {
      allow: lines`
        WebFetch(domain:*.internal) ¦ WebFetch(domain:*.local) ¦ WebFetch(domain:127.*.*.*)
        WebFetch(domain:local*)
      `,
    },
    ask: urls("http://db.internal/", "http://printer.local/", "http://127.0.0.1/", "http://localhost/"),
  },
  {
    about: "§7 IDNA",
    rules: { allow: ["WebFetch(domain:münchen.de)"], deny: ["WebFetch(domain:xn--bcher-kva.example)"] },
    allow: urls("https://münchen.de/", "https://xn--mnchen-3ya.de/", "https://MÜNCHEN.de/"),
    ask: urls("https://munchen.de/"),
    deny: urls("https://bücher.example/", "https://BÜCHER.example./"),
  },
  {
    about: "§7 deny",
    rules: {
      allow: ["WebFetch"],
      deny: ["WebFetch(domain:evil.com)", "WebFetch(domain:*.bad.org)"],
      ask: ["WebFetch(domain:odd.net)"],
    },
    deny: urls(
      ...lines`
        https://evil.com/ ¦ https://EVIL.com./ ¦ http://evil.com:81/ ¦ https://a.bad.org/ ¦ https://a.b.bad.org/
        https://u:p@evil.com/
      `,
    ),
    ask: urls("https://odd.net/"),
    allow: urls("https://evil.com.au/", "https://good.com/"),
  },
  {
    about: "§7 deny in bypass",
    mode: "bypass",
    rules: { deny: ["WebFetch(domain:evil.com)"] },
    deny: urls(
      ...lines`
        https://evil.com/ ¦ https://user@evil.com/ ¦ https://evil%2ecom/ ¦ https:evil.com ¦ https:/\evil.com/
      `,
    ),
    allow: urls("https://good.com/"),
  },
];
