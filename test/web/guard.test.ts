import type { LookupAddress } from "node:dns";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { isGuardedAddress } from "../../src/policy/engine/network-hosts.ts";
import type { Resolve } from "../../src/web/guard.ts";
import { Pages } from "../../src/web/pages.ts";
import { article, html, servePages } from "./pages-server.ts";

const never = new AbortController().signal;
const at = (address: string): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 });

/** Every address that no name may lead to by itself (faults and threats, section 3). */
const refused = [
  ..."127.0.0.1 127.1.2.3 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255".split(
    " ",
  ),
  ..."169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1".split(
    " ",
  ),
  ..."198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255".split(
    " ",
  ),
  ..."168.63.129.16 ::1 :: ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254".split(
    " ",
  ),
  ..."::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:7f00:1:: 2002:a9fe:a9fe::1".split(
    " ",
  ),
  ..."2001::1 2001:0:7f00:1:: 2001:db8::1 100::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 fe80::1%1".split(
    " ",
  ),
  ..."febf::1 fec0::1 ff02::1 ff0e::1 2606:4700::5efe:7f00:1 0:0:0:0:0:0:0:1 0000:0000::0001".split(" "),
];
const allowed = [
  ..."1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 198.17.0.1".split(
    " ",
  ),
  ..."2606:4700::1111 2001:4860:4860::8888 64:ff9b::808:808 2002:808:808::1 ::ffff:8.8.8.8 2a00:1450::1".split(
    " ",
  ),
];

function pagesOf(resolve: Resolve, named: readonly string[] = []) {
  const pages = new Pages({ clock: systemClock, resolve, namesHost: (host) => named.includes(host) });
  onTestFinished(() => pages.close());
  return async (url: string) => {
    const page = await pages.get(url, never);
    return page.type === "problem" ? page.message : page.type;
  };
}

describe("addresses", () => {
  test.each(refused)("%s is guarded, and a name that leads to it is not connected to", async (address) => {
    expect(isGuardedAddress(address)).toBe(true);
    const get = pagesOf(async () => [at(address)]);
    expect(await get("https://innocent.example/")).toContain(
      `the name leads to ${address}, a private or local`,
    );
  });

  test.each(allowed)("%s is not guarded", (address) => {
    expect(isGuardedAddress(address)).toBe(false);
  });

  test("what is not an address counts as guarded", () => {
    for (const odd of ["", "localhost", "127.0.0.1:80", "1.2.3", "::g"])
      expect(isGuardedAddress(odd)).toBe(true);
  });
});

describe("names", () => {
  test("one guarded address among others refuses all of them", async () => {
    const { port, asked } = await servePages((_, response) => html(response, article("In", "inside")));
    const get = pagesOf(async () => [at("93.184.216.34"), at("127.0.0.1")]);
    expect(await get(`https://mixed.example:${port}/`)).toContain("leads to 127.0.0.1");
    expect(asked).toEqual([]);
  });

  test("an answer that changes cannot lead in: what is connected to is what was checked", async () => {
    const { port, asked } = await servePages((_, response) => html(response, article("In", "inside")));
    const answers = ["127.0.0.1", "127.0.0.1"];
    let count = 0;
    const get = pagesOf(async () => {
      count += 1;
      return [at(answers.shift() ?? "127.0.0.1")];
    });
    expect(await get(`https://rebinding.example:${port}/`)).toContain("leads to 127.0.0.1");
    expect({ count, asked }).toEqual({ count: 1, asked: [] });
  });

  test("each redirect of a host is looked up and checked again", async () => {
    const { port, asked } = await servePages((_, response) => {
      response.writeHead(302, { location: "/secret" }).end();
    });
    const answers = ["127.0.0.1", "10.0.0.9"];
    const named = ["127.0.0.1", "moving.example"];
    const get = pagesOf(async () => [at(answers.shift() ?? "10.0.0.9")], named);
    expect(await get(`http://moving.example:${port}/`)).toContain("leads to 10.0.0.9");
    expect(asked).toEqual(["/"]);
  });

  test("a rule with the address of a name lets it in, and no other address", async () => {
    const { port } = await servePages((_, response) => html(response, article("In", "inside")));
    const named = ["127.0.0.1", "wiki.example"];
    expect(await pagesOf(async () => [at("127.0.0.1")], named)(`http://wiki.example:${port}/`)).toBe("page");
    expect(await pagesOf(async () => [at("10.0.0.1")], named)(`http://wiki.example:${port}/`)).toContain(
      "10.0.0.1",
    );
    // A rule that was made for a page of the web is not one for the network at home.
    const onlyName = pagesOf(async () => [at("127.0.0.1")], ["wiki.example"]);
    expect(await onlyName(`http://wiki.example:${port}/`)).toContain("leads to 127.0.0.1");
  });

  test("localhost is the loopback, whatever a name server says", async () => {
    const { port } = await servePages((_, response) => html(response, article("In", "inside")));
    const get = pagesOf(async () => [at("10.0.0.1")]);
    expect(await get(`http://localhost:${port}/`)).toBe("page");
    expect(await get(`http://app.localhost.:${port}/`)).toBe("page");
  });

  test("every spelling of the loopback in a URL is one address, which is asked for as it is", async () => {
    const { port, asked } = await servePages((_, response) => html(response, article("In", "inside")));
    const get = pagesOf(() => Promise.reject(new Error("no lookup")));
    for (const host of ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "１２７.0.0.1", "127.0.0.1."])
      expect(await get(`http://${host}:${port}/${encodeURIComponent(host)}`)).toBe("page");
    expect(asked).toHaveLength(6);
  });

  test.each([
    "ftp://a.example/",
    "file:///etc/passwd",
    "https://u:p@a.example/",
    "https://a.example\\@b.example/",
    "http://a.example/\n",
    "nonsense",
  ])("%j is not fetched, even if a rule allows it", async (url) => {
    const get = pagesOf(() => Promise.reject(new Error("no lookup")));
    expect(await get(url)).toMatch(/cannot be fetched: /);
  });
});
