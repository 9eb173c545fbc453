import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.3, §5.4 and §5.5: the forms of an allow rule, and what carries more than one part. */
export const allowRules: readonly AttackGroup[] = [
  {
    about: "the forms of an allow rule",
    rules: {
      allow: lines`
        Bash(npm run test:*) ¦ Bash(make build) ¦ Bash(cargo t*) ¦ Bash(go * ./pkg) ¦ Bash(docker compose up *)
      `,
    },
    tier: "both",
    allow: lines`
      npm run test ¦ npm run test unit ¦ npm run test -- --watch ¦ npm   run   test ¦ "npm" run 'test'
      npm run te''st ¦ npm run test; npm run test x ¦ npm run test | head ¦ npm run test && make build ¦ make build
      'make' build ¦ cargo t ¦ cargo test ¦ cargo tree ¦ go build ./pkg ¦ go vet -x ./pkg ¦ docker compose up
      docker compose up -d ¦ timeout 60 npm run test ¦ timeout -k 5 60 npm run test
      timeout -v -k 5 -s TERM --foreground 60 make build ¦ nice make build ¦ nice -n 10 make build
      nohup make build ¦ time make build ¦ time -p make build ¦ stdbuf -oL make build ¦ stdbuf -o L npm run test
      command make build ¦ echo x | xargs npm run test ¦ NODE_ENV=test npm run test
      NODE_ENV="test" CI=true npm run test ¦ LC_ALL=C TZ=UTC make build ¦ npm run test 2>&1
      npm run test > /dev/null ¦ (make build) ¦ { make build; } ¦ if make build; then npm run test; fi
      for i in 1 2; do make build; done ¦ make build & ¦ echo "$(make build)"
    `,
    ask: lines`
      npm run tests ¦ npm run test:unit ¦ npm run-script test ¦ npm  run ¦ Npm run test ¦ NPM run test
      ./npm run test ¦ /usr/bin/npm run test ¦ ~/npm run test ¦ node_modules/.bin/npm run test ¦ make build all
      make buildx ¦ make ¦ make -C /x build ¦ cargo build ¦ cargo ¦ cargot ¦ go build ./pkg/sub ¦ go build ./other
      docker compose upx ¦ docker compose ¦ sudo make build ¦ doas make build ¦ env make build ¦ env X=1 make build
      watch make build ¦ ionice make build ¦ setsid make build ¦ flock x make build ¦ exec make build
      command -p make build ¦ xargs -n1 make build ¦ xargs -0 npm run test ¦ xargs -I{} npm run test {}
      find . -exec make build \; ¦ bash -c 'make build' ¦ sh -c "npm run test" ¦ eval 'make build'
      npm run test; ./evil.sh ¦ npm run test && touch x ¦ npm run test | tee x ¦ npm run test $(touch x)
      npm run test \`touch x\` ¦ npm run test <(touch x) ¦ npm run test > x ¦ npm run test < /etc/passwd
      PATH=. npm run test ¦ LD_PRELOAD=./evil.so make build ¦ NODE_OPTIONS=-r./evil.js npm run test
      NODE_ENV+=x npm run test ¦ NODE_ENV[0]=x npm run test ¦ NODE_ENV=$(touch x) npm run test
      NODE_ENV=test; npm run test ¦ export NODE_ENV=test; npm run test ¦ declare CI=1; make build
      MAKEFLAGS=x make build ¦ GOFLAGS=-toolexec=./evil.sh go build ./pkg ¦ make() { ./evil.sh; }; make build
      alias make=./evil.sh; make build ¦ coproc { make build; ./evil.sh; }
    `,
  },
  {
    about: "find and watch need bare Bash or the exact string",
    rules: {
      allow: lines`
        Bash(find:*) ¦ Bash(watch:*) ¦ Bash(env:*) ¦ Bash(find src -name a -delete) ¦ Bash(watch ls)
      `,
    },
    allow: lines`
      find src -name a -delete ¦ watch ls ¦ find src -name x
    `,
    ask: lines`
      find src -name b -delete ¦ find src -delete ¦ find src -exec rm {} + ¦ find src -exec ls {} \;
      find src -execdir ls {} + ¦ find src -ok ls {} \; ¦ find src -okdir ls {} \; ¦ find src -fprint x
      find src -fprint0 x ¦ find src -fprintf x %p ¦ find src -fls x ¦ find src -name a -delete; ls x; ./evil.sh
      watch pwd ¦ env ls ¦ env -i ls
    `,
  },
  {
    about: "bare Bash",
    rules: { allow: ["Bash"] },
    allow: lines`
      ./evil.sh ¦ curl https://example.com ¦ $x y ¦ eval "$x" ¦ npm run build > out.log ¦ sudo make install
      find src -exec rm {} + ¦ python3 -c 'print(1)' ¦ FOO=1 make ¦ export FOO=1 ¦ f() { ls; }; f
      rm -rf node_modules ¦ cat /etc/passwd ¦ bash -c 'ls' ¦ git commit -m x ¦ git push origin main
    `,
    not: [
      ...lines`
        ls > ¦ ls && ¦ echo 'x ¦ echo x > .npmrc ¦ rm -rf / ¦ rm -rf ~
      `,
      "ls\u0007",
      "echo '\u202e'",
      "cat <<EOF\nx",
    ],
  },
  {
    about: "rules that are no rules",
    rules: {
      allow: lines`
        Bash() ¦ Bash(:*) ¦ bash(npm test) ¦ BASH ¦ Bash (npm test) ¦ Bash(npm test ¦ Bash(npm:* test) ¦ Ba* ¦ *
      `,
    },
    tier: "both",
    ask: lines`
      npm test ¦ make ¦ ./evil.sh ¦ touch x
    `,
    allow: ["ls", "cat README.md"],
  },
];
