/**
 * Builds the packages that are published: `effect-toolguard` in `dist/library`, `toolguard` in `dist/kit`, or in these
 * folders of the one given.
 *
 * Each has JavaScript and declarations, texts, and the manifest of its own without what concerns only this workshop. The
 * kit's tarball has its sources in `kit/` and, beside them, the examples that it runs.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

type Paths = Readonly<Record<string, string | null>>

interface Manifest {
  readonly [field: string]: unknown
  readonly exports: Paths
  readonly imports: Paths
  readonly bin?: Paths
}

interface Package {
  readonly name: string
  /** Where its manifest is. */
  readonly folder: string
  /** What its tarball holds. */
  readonly sources: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
}

const packages: ReadonlyArray<Package> = [
  {
    name: "library",
    folder: ".",
    sources: ["src", "services", "layers"],
    texts: ["README.md", "CHANGELOG.md", "LICENSE", "docs"]
  },
  { name: "kit", folder: "kit", sources: ["kit", "examples"], texts: ["kit/README.md", "LICENSE"] }
]

const root = resolve(import.meta.dirname, "..")
const target = resolve(process.argv[2] ?? join(root, "dist"))

/** Fields that serve this repository alone. */
const workshop: ReadonlySet<string> = new Set([
  "private",
  "workspaces",
  "scripts",
  "devDependencies",
  "optionalDependencies"
])

/** Paths in a tarball: those of the manifest, seen from the root, with compiled files instead of sources. */
const built = (folder: string, paths: Paths): Paths =>
  Object.fromEntries(
    Object.entries(paths)
      .filter(([name]) => folder !== "." || name !== "#kit/*")
      .map(([name, path]) => [name, path && `./${join(folder, path).replace(/\.ts$/, ".js")}`])
  )

/** The manifest of a published package. */
const published = (folder: string, manifest: Manifest): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(manifest).filter(([field]) => !workshop.has(field))),
  ...(manifest.bin && { bin: built(folder, manifest.bin) }),
  exports: { ...built(folder, manifest.exports), "./package.json": "./package.json" },
  imports: built(folder, manifest.imports)
})

const compiled = mkdtempSync(join(tmpdir(), "toolguard-build-"))
process.on("exit", () => rmSync(compiled, { recursive: true, force: true }))
const compiler = join(root, "node_modules/typescript/bin/tsc")
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", compiled], {
  cwd: root,
  stdio: "inherit"
})
if (status !== 0) process.exit(1)

for (const { folder, name, sources, texts } of packages) {
  const into = join(target, name)
  rmSync(into, { recursive: true, force: true })
  for (const source of sources) cpSync(join(compiled, source), join(into, source), { recursive: true })
  const assets = globSync(`{${sources.join(",")}}/**/*.*`, {
    cwd: root,
    exclude: (path) => path.includes("node_modules")
  })
  for (const path of assets.filter((path) => !/\.ts$|^kit\/[^/]*\.(json|md|txt)$/.test(path)))
    cpSync(join(root, path), join(into, path))
  for (const text of texts) cpSync(join(root, text), join(into, text.replace(/^kit\//, "")), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest
  writeFileSync(join(into, "package.json"), `${JSON.stringify(published(folder, manifest), null, 2)}\n`)
}
