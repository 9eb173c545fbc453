import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SECRET_PATTERNS } from "../../../src/policy/secrets/patterns.ts";
import { credentialsIn, redactionOf, redactor } from "../../../src/policy/secrets/redactor.ts";
import { long } from "../../support/long.ts";

/** So that no scanner takes this file for a leak: the beginning and the rest are apart. */
const made = (begin: string, rest: string) => begin + rest;
const letters = (count: number) => "aB3dE6gH9j".repeat(8).slice(0, count);
const capitals = (count: number) => "AB3DE6GH9J".repeat(8).slice(0, count);

const block = (kind: string, lines: string) =>
  `${made("-----BEGIN ", kind)}PRIVATE KEY-----\n${lines}\n-----END ${kind}PRIVATE KEY-----`;

const SECRETS: readonly [string, string][] = [
  ["Anthropic key", made("sk-ant-", `api03-${letters(60)}-_AA`)],
  ["OpenAI key", made("sk-", letters(48))],
  ["OpenAI key", made("sk-proj-", `${letters(30)}_-${letters(30)}`)],
  ["GitHub token", made("ghp_", letters(36))],
  ["GitHub token", made("gho_", letters(36))],
  ["GitHub token", made("github_pat_", `${letters(22)}_${letters(59)}`)],
  ["GitLab token", made("glpat-", letters(20))],
  ["AWS key", made("AKIA", capitals(16))],
  ["AWS key", made("ASIA", capitals(16))],
  ["Slack token", made("xoxb-", `123456789012-${letters(24)}`)],
  ["Slack token", made("xapp-", `1-A012-${letters(24)}`)],
  ["Google key", made("AIza", letters(35))],
  ["Google token", made("ya29.", letters(40))],
  ["Google token", made("GOCSPX-", letters(28))],
  ["npm token", made("npm_", letters(36))],
  ["Stripe key", made("sk_live_", letters(24))],
  ["Hugging Face token", made("hf_", letters(34))],
  ["PyPI token", made("pypi-AgE", letters(60))],
  ["web token", made("eyJ", `${letters(20)}.eyJ${letters(30)}.${letters(43)}`)],
  ["private key", block("", `${letters(64)}\n${letters(64)}\n${letters(20)}==`)],
  ["private key", block("RSA ", `Proc-Type: 4,ENCRYPTED\n\n${letters(64)}`)],
  ["private key", block("OPENSSH ", letters(70))],
];

const KEPT: readonly [string, string, string][] = [
  ["credential", "Authorization: Bearer ", letters(12)],
  ["credential", '"authorization": "Basic ', `${letters(20)}==`],
  ["credential", "authorization=token ", letters(12)],
  ["credential", "a bearer ", letters(24)],
  ["credential", 'X-Api-Key: "', letters(20)],
  ["AWS key", "aws_secret_access_key = ", `${letters(38)}/+`],
  ["AWS key", 'AWS_SECRET_ACCESS_KEY="', letters(40)],
  ["npm token", "//registry.example.org/:_authToken=", letters(20)],
  ["Slack address", "https://hooks.slack.com/services/", `T0001/B0001/${letters(24)}`],
];

const redact = redactor({ values: [] });

describe("what a secret looks like (issue 4, 9)", () => {
  const around: readonly [string, string, string][] = [
    ["alone", "", ""],
    ["in quotes", '"', '"'],
    ["after an assignment", "export KEY=", "\n"],
    ["in an address", "https://example.org/x?key=", "&y=1"],
    ["in a line of a diff", "\n+", "\n"],
    ["in colour", "\u001b[1;31m", "\u001b[0m"],
    ["in a table", "name\t", "\tnext"],
  ];
  test.each(SECRETS)("%s is taken out, wherever it stands: %s", (name, secret) => {
    for (const [, before, after] of around) {
      expect(redact(`${before}${secret}${after}`)).toBe(`${before}[redacted ${name}]${after}`);
    }
    expect(redact(`${secret} and ${secret}`)).toBe(`[redacted ${name}] and [redacted ${name}]`);
  });

  test.each(KEPT)("%s: what tells of it stays: %s", (name, before, secret) => {
    expect(redact(`see ${before}${secret}\nnext`)).toBe(`see ${before}[redacted ${name}]\nnext`);
  });

  test.each([
    ["postgres://me:pa:ss!wo$rd@db.example.org/x", "postgres://me:[redacted password]@db.example.org/x"],
    ["https://:tokentoken@host", "https://:[redacted password]@host"],
    [
      "git clone https://x:y@h/a https://z:w@h/b",
      "git clone https://x:[redacted password]@h/a https://z:[redacted password]@h/b",
    ],
  ])("passwords in addresses: %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test("a key with numbered lines, as one line of source code, or cut off", () => {
    const key = block("EC ", `${letters(64)}\n${letters(64)}`);
    const numbered = key
      .split("\n")
      .map((line, at) => `${at + 1}\t${line}`)
      .join("\n");
    expect(redact(numbered)).toBe("1\t[redacted private key]");
    expect(redact(`const key = "${key.replaceAll("\n", "\\n")}";`)).toBe(
      'const key = "[redacted private key]";',
    );
    expect(redact(`${key.slice(0, 100)}`)).toBe("[redacted private key]");
    expect(redact(`${key}\nand ${key}.`)).toBe("[redacted private key]\nand [redacted private key].");
  });

  test.each([
    "task-notification-with-a-long-name-1234567890",
    "the risk-assessment-of-everything-in-2026-and-later",
    "sk-some-kebab-case-name-of-somebody",
    "https://example.org:8080/a@b",
    "mail me@example.org: at 10:30@home",
    "git@github.com:owner/name.git",
    "Authorization: Bearer $TOKEN",
    "the bearer of this letter",
    "ghp_short AKIA1234 xoxb- npm_config_registry hf_token eyJhbGciOi.x",
    'if (text.includes("-----BEGIN PRIVATE KEY-----")) return;',
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOC\n-----END PUBLIC KEY-----",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "[redacted GitHub token]",
  ])("what is none stays: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("a text is redacted once: what is written instead is no secret", () => {
    for (const [, secret] of SECRETS) expect(redact(redact(secret))).toBe(redact(secret));
    for (const [, before, secret] of KEPT)
      expect(redact(redact(before + secret))).toBe(redact(before + secret));
  });
});

describe("known credentials", () => {
  test("are taken out wherever they stand, the longest first", () => {
    const known = redactor({ values: ["hunter22", "hunter22-and-more", "a(b)[c]*.+?$"] });
    expect(known("xhunter22y hunter22-and-more, a(b)[c]*.+?$")).toBe(
      "x[redacted credential]y [redacted credential], [redacted credential]",
    );
  });

  test("of fewer than 8 characters are words like others", () => {
    expect(redactor({ values: ["", "short12"] })("short12 x")).toBe("short12 x");
  });

  test("can be joined by patterns of one's own", () => {
    const own = { name: "ticket", hint: /TICKET-/, find: /TICKET-\d+/g };
    expect(redactor({ values: [], patterns: [own] })("see TICKET-12")).toBe("see [redacted ticket]");
  });

  test.each<[string, string, boolean]>([
    ["OPENAI_API_KEY", "abcd1234", true],
    ["GITHUB_TOKEN", "ABCDefgh", true],
    ["MY_SECRET", "onlylettersbutquitelong", true],
    ["PGPASSWORD", "correcthorse", true],
    ["password", "p4ssw0rd!", true],
    ["MY_SECRET", "  padded123  ", true],
    ["API_KEY", "short12", false],
    ["HOME", "/home/me/abcd1234", false],
    ["SSH_KEY_PATH", "abcd1234/x", false],
    ["SECRETS_DIR", "abcd1234", false],
    ["MY_KEY", "/home/me/.ssh/id_ed25519", false],
    ["MY_KEY", "./keys/id_ed25519", false],
    ["TOKEN_EXPIRES", "1234567890", false],
    ["KEYCLOAK_REALM", "production", false],
    ["SECRET_BACKEND", "vault-staging", false],
  ])("of an environment are found by their names: %s=%s is %s", (name, value, is) => {
    expect(credentialsIn({ [name]: value })).toEqual(is ? [value.trim()] : []);
  });

  test("an environment's are said once", () => {
    expect(credentialsIn({ A_KEY: "abcd1234", B_KEY: "abcd1234", C_KEY: undefined })).toEqual(["abcd1234"]);
  });
});

describe("the hint that comes first", () => {
  const { suspect } = redactionOf({ values: ['quo"te\nvalue'] });

  test("finds whatever would be replaced, also as a JSON string", { tags: ["long"] }, () => {
    const secrets = [...SECRETS.map(([, one]) => one), ...KEPT.map(([, before, one]) => before + one)];
    const text = fc.tuple(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...secrets, 'quo"te\nvalue', "a://b:c@d"),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(text, ([before, secret, after]) => {
        for (const gap of ["", "\n", "\t", "\r", "\b", "\f", "\u001b[31m", '"', "\\"]) {
          const whole = `${before}${gap}${secret}${after}`;
          const found = SECRET_PATTERNS.some(({ find }) => whole.search(find) >= 0);
          if (found) expect(suspect.test(JSON.stringify(whole))).toBe(true);
          if (found) expect(suspect.test(whole)).toBe(true);
        }
        expect(suspect.test(JSON.stringify(`quo"te\nvalue`))).toBe(true);
      }),
      { seed: 9, numRuns: long(300, 60) },
    );
  });

  test("does not stop at ordinary texts", () => {
    for (const text of ["task-notification", "https://example.org/a", "const key = token(secret)"]) {
      expect(suspect.test(text)).toBe(false);
    }
  });
});

/** What takes the square of a text's length would need minutes here, and the time limit of a test ends it. */
test.each(SECRET_PATTERNS)(
  "no text makes a pattern slow: $name $hint",
  { tags: ["long"] },
  ({ hint, find }) => {
    const atoms = [
      ...[
        "sk-",
        "eyJ",
        "eyJaB3dE6gH9j",
        ".eyJ",
        "://",
        "://a:",
        ":",
        "@",
        "-",
        "-----BEGIN PRIVATE KEY-----\n",
      ],
      ...[
        "aB3",
        "ghp_",
        "npm_",
        "AKIA",
        "AIza",
        "bearer ",
        "authorization: bearer ",
        "aws_secret_access_key=",
        " ",
      ],
      ...[
        "\u001b[31m",
        "xoxb-",
        "hf_",
        "pypi-AgE",
        "_authToken=",
        "x-api-key:",
        "hooks.slack.com/services/",
        "\\n",
      ],
    ];
    for (const one of atoms) {
      for (const other of ["", "a", ...atoms.slice(0, 6)]) {
        const text = (one + other).repeat(200_000 / (one.length + other.length));
        expect(text.search(hint)).toBeLessThan(text.length);
        expect(text.replace(find, "").length).toBeLessThanOrEqual(text.length);
      }
    }
  },
);
