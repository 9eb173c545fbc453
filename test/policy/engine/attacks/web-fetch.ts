import type { Call } from "../independent/ground.ts";
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

const fetching = (urls: readonly string[]): Call[] =>
  urls.map((url) => ["WebFetch", { url, prompt: "x" }] as const);

const internal = [
  ...lines`
    http://localhost/ ¦ http://LOCALHOST:3000/ ¦ http://localhost./ ¦ http://a.localhost/ ¦ http://printer.local/
    http://x.internal/ ¦ http://metadata.google.internal/ ¦ http://127.0.0.1/ ¦ http://127.1/ ¦ http://127.0.0.1./
    http://0177.0.0.1/ ¦ http://0x7f.0.0.1/ ¦ http://0x7f000001/ ¦ http://2130706433/ ¦ http://017700000001/
    http://127.255.255.254/ ¦ http://0/ ¦ http://0.0.0.0/ ¦ http://10.0.0.1/ ¦ http://172.16.0.1/
    http://172.31.255.255/ ¦ http://192.168.1.1/ ¦ http://192.168.257/ ¦ http://169.254.169.254/latest/meta-data
    http://2852039166/ ¦ http://0xa9fea9fe/ ¦ http://100.64.0.1/ ¦ http://100.127.255.255/ ¦ http://224.0.0.1/
    http://239.255.255.250/ ¦ http://[::1]/ ¦ http://[0:0:0:0:0:0:0:1]/ ¦ http://[::]/ ¦ http://[::ffff:127.0.0.1]/
    http://[::ffff:7f00:1]/ ¦ http://[::ffff:169.254.169.254]/ ¦ http://[fe80::1]/ ¦ http://[fc00::1]/
    http://[fd12:3456::1]/ ¦ http://[ff02::1]/ ¦ http://192.0.2.1/ ¦ http://203.0.113.9/ ¦ http://[64:ff9b::7f00:1]/
    http://[2001:0:7f00:1::]/ ¦ http://[2606:4700::5efe:7f00:1]/ ¦ http://１２７.０.０.１/ ¦ http://127。0。0。1/
    http://ⓛocalhost/
  `,
];

/** §7. */
export const webFetch: readonly AttackGroup[] = [
  {
    about: "internal addresses, under a rule for every domain",
    rules: { allow: ["WebFetch(domain:*)"] },
    ask: fetching(internal),
  },
  { about: "internal addresses, under a bare rule", rules: { allow: ["WebFetch"] }, ask: fetching(internal) },
  {
    about: "domains",
    rules: {
      allow: lines`
        WebFetch(domain:example.com) ¦ WebFetch(domain:*.docs.dev) ¦ WebFetch(domain:api-*.test.org)
        WebFetch(domain:bücher.de)
      `,
    },
    allow: fetching([
      ...lines`
        https://example.com ¦ https://example.com/x?y#z ¦ http://example.com:8080/ ¦ https://EXAMPLE.com/
        https://example.com./ ¦ https://exa%6Dple.com/ ¦ https://a.docs.dev/ ¦ https://a.b.docs.dev/
        https://api-1.test.org/ ¦ https://bücher.de/ ¦ https://xn--bcher-kva.de/
      `,
    ]),
    ask: [
      ...fetching([
        ...lines`
          https://www.example.com/ ¦ https://example.com.evil.org/ ¦ https://evilexample.com/
          https://evil.org/example.com ¦ https://evil.org/?example.com ¦ https://evil.org#example.com
          https://user@example.com/ ¦ https://user:pass@example.com/ ¦ https://example.com@evil.org/
          https://example.com:x@evil.org/ ¦ https://example.com\@evil.org/ ¦ https://example.com\x
          https:\\example.com\
        `,
        "https://example.com/\u0007",
        "https://exam\nple.com/",
        "https://example.com/\tx",
        ...lines`
          ftp://example.com/ ¦ file://example.com/x ¦ file:///etc/passwd ¦ data:text/plain,x ¦ javascript:1
          ws://example.com/ ¦ example.com ¦ //example.com/ ¦ http:// ¦ not a url ¦ https://docs.dev/
          https://docs.dev.evil.org/ ¦ https://xdocs.dev/ ¦ https://api-1.x.test.org/ ¦ https://api-.a.test.org/
          https://api.test.org/ ¦ https://exаmple.com/ ¦ https://example.co/ ¦ https://evil.org/
        `,
      ]),
    ],
  },
  {
    about: "an internal address by its very host, and denies",
    rules: {
      allow: ["WebFetch(domain:localhost)", "WebFetch(domain:10.0.0.1)", "WebFetch(domain:*)"],
      deny: ["WebFetch(domain:evil.org)", "WebFetch(domain:*.evil.org)"],
    },
    allow: fetching(["http://localhost:3000/", "http://10.0.0.1/", "https://good.org/"]),
    ask: fetching(["http://127.0.0.1/", "http://a.localhost/", "http://10.0.0.2/", "http://[::1]/"]),
    deny: fetching([
      ...lines`
        https://evil.org/ ¦ https://EVIL.org./x ¦ https://a.evil.org/ ¦ http://a.b.evil.org:81/
      `,
    ]),
  },
  {
    about: "plan, with no rules",
    mode: "plan",
    ask: fetching(["https://example.com/", "http://localhost/"]),
  },
];
