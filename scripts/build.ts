/**
 * Builds the package that is published: JavaScript and declarations of the sources, in `dist/` or the folder given.
 *
 * Its package.json is the project's own without what concerns only this workshop, its paths pointing to the built files.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

interface Manifest {
  readonly [field: string]: unknown
  readonly exports: Readonly<Record<string, string>>
  readonly imports: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
}

const root = resolve(import.meta.dirname, "..")
const target = resolve(process.argv[2] ?? join(root, "dist"))

/** Fields that serve this repository alone. */
const workshop: ReadonlySet<string> = new Set(["private", "scripts", "devDependencies", "optionalDependencies"])

const built = (paths: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, path.replace(/\.ts$/, ".js")]))

/** The manifest of the published package. */
const published = (manifest: Manifest): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(manifest).filter(([field]) => !workshop.has(field))),
  bin: built(manifest.bin),
  exports: { ...built(manifest.exports), "./package.json": "./package.json" },
  imports: built(manifest.imports)
})

rmSync(target, { recursive: true, force: true })
const compiler = join(root, "node_modules/typescript/bin/tsc")
const compiled = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", target], {
  cwd: root,
  stdio: "inherit"
})
if (compiled.status !== 0) process.exit(1)

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest
writeFileSync(join(target, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`)
const assets = globSync("{docs,src,services,layers,examples}/**/*.*", { cwd: root }).filter(
  (path) => !path.endsWith(".ts")
)
for (const path of ["README.md", "CHANGELOG.md", "LICENSE", ...assets]) cpSync(join(root, path), join(target, path))
