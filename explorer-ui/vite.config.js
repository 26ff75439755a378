import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { computeStamp } from "./stamp.js";

const folder = dirname(fileURLToPath(import.meta.url));

/** Write `index.html` as it stands, and put the stamp of the sources before the script. */
function addPage() {
  return {
    name: "add-page",
    generateBundle(_, bundle) {
      const script = bundle["app.js"];
      script.code = `/* isogloss explorer. Made from explorer-ui, stamp ${computeStamp(folder)}. Do not edit. */\n${script.code}`;
      this.emitFile({ type: "asset", fileName: "index.html", source: readFileSync(join(folder, "index.html")) });
    },
  };
}

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  plugins: [addPage()],
  build: {
    outDir: "../src/isogloss/explorer/static",
    emptyOutDir: false,
    cssCodeSplit: false, // else the script of an IIFE adds a <style>
    modulePreload: false,
    target: "es2022",
    rollupOptions: {
      input: "src/main.tsx",
      output: {
        format: "iife", // a classic script: browsers refuse modules from file://
        entryFileNames: "app.js",
        assetFileNames: "app.[ext]",
      },
    },
  },
});
