/** The project that staged agents have worked in; nothing of it is on disk. */
export const ROOT = "/home/mira/shop";

export const files: Readonly<Record<string, string>> = {
  "package.json":
    '{\n  "name": "shop",\n  "scripts": {\n    "test": "vitest run",\n    "build": "tsc -p ."\n  }\n}',
  "src/server.ts": `import { createServer } from "node:http";
import { routes } from "./routes.ts";
import { loadConfig } from "./config.ts";

const config = loadConfig(process.env);

export const server = createServer((request, response) => {
  const route = routes.find((one) => one.path === request.url);
  if (!route) {
    response.writeHead(404).end();
    return;
  }
  route.handle(request, response);
});

server.listen(config.port);`,
  "src/config.ts": `export interface Config {
  readonly port: number;
  readonly dbUrl: string;
}

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const port = Number(env.PORT ?? 8080);
  if (Number.isNaN(port)) throw new Error("PORT is no number");
  return { port, dbUrl: env.DB_URL ?? "sqlite://shop.db" };
}`,
  "src/routes.ts": `import { addToCart, showCart } from "./cart/handlers.ts";
import { login } from "./auth/login.ts";

export const routes = [
  { path: "/cart", handle: showCart },
  { path: "/cart/add", handle: addToCart },
  { path: "/login", handle: login },
];`,
  "src/cart/handlers.ts": `import { priceOf } from "./price.ts";
import { store } from "./store.ts";

export function showCart(request, response) {
  const cart = store.get(request.session);
  response.end(JSON.stringify({ items: cart.items, total: priceOf(cart) }));
}

export function addToCart(request, response) {
  const { sku, count } = request.body;
  const cart = store.get(request.session);
  cart.items.push({ sku, count });
  // TODO: check the stock
  store.save(cart);
  response.end("ok");
}`,
  "src/cart/price.ts": `const RATE = 0.19;

export function priceOf(cart) {
  const net = cart.items.reduce((sum, item) => sum + item.price * item.count, 0);
  return Math.round(net * (1 + RATE) * 100) / 100;
}`,
  "src/cart/store.ts": `const carts = new Map();

export const store = {
  get: (session) => carts.get(session) ?? { session, items: [] },
  save: (cart) => carts.set(cart.session, cart),
};`,
  "src/auth/login.ts": `import { hash } from "./hash.ts";
import { users } from "./users.ts";

export function login(request, response) {
  const { name, password } = request.body;
  const user = users.find(name);
  if (user && user.hash === hash(password)) {
    response.setHeader("set-cookie", "session=" + user.id);
    response.end("welcome");
    return;
  }
  response.writeHead(401).end("wrong name or password");
}`,
  "src/auth/hash.ts": `import { createHash } from "node:crypto";

export function hash(password) {
  return createHash("md5").update(password).digest("hex");
}`,
  "test/price.test.ts": `import { expect, test } from "vitest";
import { priceOf } from "../src/cart/price.ts";

test("adds the tax", () => {
  expect(priceOf({ items: [{ price: 10, count: 2 }] })).toBe(23.8);
});`,
  "tools/report.py": `import csv
import sys


def rows(path):
    with open(path) as file:
        yield from csv.DictReader(file)


def total(path):
    return sum(float(row["amount"]) for row in rows(path))


if __name__ == "__main__":
    print(total(sys.argv[1]))`,
  "docs/design.md": `# Design

Carts live in memory. Prices are net; tax is added when they are shown.

## Open

- sessions are not signed
- passwords are hashed with MD5`,
  "infra/deploy.yaml": `service: shop
replicas: 2
image: registry/shop:1.4.2
env:
  PORT: "8080"`,
};
