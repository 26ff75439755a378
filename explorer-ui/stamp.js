/** The stamp of the sources: SHA-256 over the name and the content of each file. tests/browser computes the same. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOTS = ["index.html", "package-lock.json", "package.json", "src", "stamp.js", "tsconfig.json", "vite.config.js"];

function listFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => listFiles(join(path, name)));
}

export function computeStamp(folder) {
  const digest = createHash("sha256");
  const names = ROOTS.flatMap((root) => listFiles(join(folder, root))).map((path) => path.slice(folder.length + 1));
  for (const name of names.sort()) {
    digest.update(`${name}\0`);
    digest.update(readFileSync(join(folder, name)));
    digest.update("\0");
  }
  return digest.digest("hex").slice(0, 32);
}
