// Builds the one bundle that every Proofreel page inlines. Same sources and same lock give the same bytes.
import { build } from "esbuild";

const out = "../src/proofreel/report/assets";
const common = { bundle: true, minify: true, charset: "utf8", legalComments: "none", logLevel: "warning" };

await build({ ...common, entryPoints: ["src/proof.ts"], outfile: `${out}/proof.js`, format: "iife", target: "es2022" });
await build({ ...common, entryPoints: ["src/proof.css"], outfile: `${out}/proof.css`, target: ["chrome110", "firefox115", "safari16"] });
