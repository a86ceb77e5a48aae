// Builds the bundles that Proofreel's pages inline, all from the same modules. Same sources and same lock give the same bytes.
import { build } from "esbuild";

const out = "../src/proofreel/report/assets";
const common = { bundle: true, minify: true, charset: "utf8", legalComments: "none", logLevel: "warning" };

for (const page of ["proof", "report"]) {
  await build({ ...common, entryPoints: [`src/${page}.ts`], outfile: `${out}/${page}.js`, format: "iife", target: "es2022" });
  await build({ ...common, entryPoints: [`src/${page}.css`], outfile: `${out}/${page}.css`, target: ["chrome110", "firefox115", "safari16"] });
}

// The page a person answers on is no report: it lies with its agent.
const human = "../src/proofreel/agents/_human/assets";
await build({ ...common, entryPoints: ["src/human.ts"], outfile: `${human}/human.js`, format: "iife", target: "es2022" });
await build({ ...common, entryPoints: ["src/human.css"], outfile: `${human}/human.css`, target: ["chrome110", "firefox115", "safari16"] });
