import { base, goldens } from "./goldens.ts";

goldens("base", [base, { name: "a plain prompt", run: ["-p hello"], replies: { main: ["Hello."] } }]);
