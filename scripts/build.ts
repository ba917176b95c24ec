/**
 * Builds the published packages: `effect-toolguard` in `dist/library` and `toolguard` in `dist/kit`. An argument replaces
 * `dist`.
 *
 * Each package has JavaScript, declarations, texts, an SBOM (`sbom.cdx.json`), the licences of its dependencies
 * (`LICENCES.md`), and a manifest without the fields that only this repository needs. The kit's package contains its
 * modules in `kit/` and the examples that its commands run in `examples/`.
 *
 * The JavaScript of a room is one file in `chunks/`, because Node takes about 0.4 ms to resolve and load a module, however
 * small, and the library has hundreds. A module that others may import is a file that re-exports from its room.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix, resolve } from "node:path"
import { rolldown } from "rolldown"
import * as Sbom from "./sbom.ts"

type Paths = Readonly<Record<string, string | null>>

interface Manifest {
  readonly [field: string]: unknown
  readonly exports: Paths
  readonly bin?: Paths
}

interface Package {
  readonly name: string
  /** The folder of the package's manifest. */
  readonly folder: string
  /** The folders that the package contains. */
  readonly sources: ReadonlyArray<string>
  /** The modules that can be imported or run. */
  readonly entries: string
  readonly texts: ReadonlyArray<string>
}

const packages: ReadonlyArray<Package> = [
  {
    name: "library",
    folder: ".",
    sources: ["src", "services", "layers"],
    entries: "{src,services,layers}/**/*.js",
    texts: ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "docs"]
  },
  {
    name: "kit",
    folder: "kit",
    sources: ["kit", "examples"],
    entries: "{kit/testing,kit/cli/{main,worker},examples/**/*}.js",
    texts: ["kit/README.md", "LICENSE"]
  }
]

const root = resolve(import.meta.dirname, "..")
const target = resolve(process.argv[2] ?? join(root, "dist"))

/** Fields of the manifests that only this repository uses. */
const repositoryFields: ReadonlySet<string> = new Set([
  "private",
  "imports",
  "workspaces",
  "scripts",
  "devDependencies",
  "optionalDependencies"
])

/** Returns the paths of a manifest, relative to the root, with compiled files instead of sources. */
const compiledPaths = (folder: string, paths: Paths): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, path && `./${join(folder, path).replace(/\.ts$/, ".js")}`])
  )

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest // our own file

/** The fields `repository`, `homepage` and `bugs` of both packages, from `release.json`. Null values are omitted. */
const addresses = Object.fromEntries(
  Object.entries(
    JSON.parse(readFileSync(join(root, "release.json"), "utf8")) as Readonly<Record<string, unknown>>
  ).filter(([, address]) => address !== null)
)

/** Returns the manifest of a published package. */
const publishedManifest = (folder: string, manifest: Manifest): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(manifest).filter(([field]) => !repositoryFields.has(field))),
  ...addresses,
  ...(manifest.bin && { bin: compiledPaths(folder, manifest.bin) }),
  exports: { ...compiledPaths(folder, manifest.exports), "./package.json": "./package.json" }
})

/**
 * Returns true if each module of a folder becomes a separate file. This applies to entries, public layers, examples
 * (some start when they are imported), and the console, because each command needs a different part of it.
 */
const isApart = (folder: string): boolean => /^(src|layers|kit|kit\/cli(\/console)?|examples(\/.*)?)$/.test(folder)

/** Writes the JavaScript of a package: its entries, and a chunk for each room. */
const bundle = async (entries: string, into: string): Promise<void> => {
  const files = globSync(entries, { cwd: compiled })
  const build = await rolldown({
    input: Object.fromEntries(files.map((file) => [file.slice(0, -".js".length), join(compiled, file)])),
    external: (id) => !/^[./#]/.test(id),
    platform: "node",
    treeshake: false,
    preserveEntrySignatures: "allow-extension",
    transform: { target: "es2024" },
    checks: { pluginTimings: false }
  })
  await build.write({
    dir: into,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    minifyInternalExports: false,
    // Node would read them at each start; the declarations contain them
    comments: { jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "rooms", name: roomOf }]
    }
  })
}

const roomOf = (path: string): string | null => {
  const folder = posix.dirname(posix.relative(compiled, path))
  return isApart(folder) ? null : folder.replaceAll("/", "-")
}

/** Writes the declarations of a package, with relative paths for `#` paths: its manifest has no `imports`. */
const declarations = (sources: ReadonlyArray<string>, into: string): void => {
  for (const file of globSync(`{${sources.join(",")}}/**/*.d.ts`, { cwd: compiled })) {
    const text = readFileSync(join(compiled, file), "utf8").replaceAll(
      /"(#[\w-]+\/)([^"]+)"/g,
      (specifier, prefix: string, rest: string) => {
        const target = imports[`${prefix}*`]?.replace("*", rest)
        if (target === undefined) return specifier
        const path = posix.relative(posix.dirname(file), target.slice("./".length))
        return `"${path.startsWith(".") ? path : `./${path}`}"`
      }
    )
    mkdirSync(dirname(join(into, file)), { recursive: true })
    writeFileSync(join(into, file), text)
  }
}

const compiled = mkdtempSync(join(tmpdir(), "toolguard-build-"))
process.on("exit", () => rmSync(compiled, { recursive: true, force: true }))
const compiler = join(root, "node_modules/typescript/bin/tsc")
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", compiled], {
  cwd: root,
  stdio: "inherit"
})
if (status !== 0) process.exit(1)

/** The targets of `#` paths in the compiled tree. The bundler reads them from the manifest, as Node does. */
const imports = compiledPaths(".", (manifestOf(".") as Manifest & { readonly imports: Paths }).imports)
writeFileSync(join(compiled, "package.json"), JSON.stringify({ type: "module", imports }))

for (const { entries, folder, name, sources, texts } of packages) {
  const into = join(target, name)
  rmSync(into, { recursive: true, force: true })
  await bundle(entries, into)
  const assets = globSync(`{${sources.join(",")}}/**/*.*`, {
    cwd: root,
    exclude: (path) => path.includes("node_modules")
  })
  for (const path of assets.filter((path) => !/\.ts$|^kit\/[^/]*\.(json|md|txt)$/.test(path)))
    cpSync(join(root, path), join(into, path))
  for (const text of texts) cpSync(join(root, text), join(into, text.replace(/^kit\//, "")), { recursive: true })
  declarations(sources, into)
  const manifest = publishedManifest(folder, manifestOf(folder))
  writeFileSync(join(into, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  const { licences, sbom } = Sbom.make(root, manifest)
  writeFileSync(join(into, "sbom.cdx.json"), sbom)
  writeFileSync(join(into, "LICENCES.md"), licences)
}
