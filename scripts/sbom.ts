/**
 * Lists the run-time dependencies of a published package: an SBOM (CycloneDX, by `npm sbom`) and a table of licences.
 *
 * The versions are those of `package-lock.json`, which the tests use. Optional peers are listed if they are installed. Fails if
 * a package states no licence, or a licence that is not permissive.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Manifest {
  readonly [field: string]: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

interface Entry {
  readonly [field: string]: unknown
  readonly version?: string
  readonly link?: boolean
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

type Entries = Readonly<Record<string, Entry>>

/** A component of an SBOM, as npm writes it. */
interface Component {
  readonly name: string
  readonly version: string
  readonly licenses?: ReadonlyArray<{ readonly license?: { readonly id?: string }; readonly expression?: string }>
}

interface Sbom {
  readonly [field: string]: unknown
  readonly metadata: { readonly [field: string]: unknown; readonly component: Component }
  readonly components: ReadonlyArray<Component>
}

const permissive: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT"
])

/** Returns the path of the package that another package at `path` finds: in its own folder or in a folder above. */
const found = (entries: Entries, path: string, name: string): string | undefined => {
  const own = `${path === "" ? "" : `${path}/`}node_modules/${name}`
  if (own in entries) return own
  return path === "" ? undefined : found(entries, path.slice(0, Math.max(path.lastIndexOf("/node_modules/"), 0)), name)
}

/** Returns the entries of the lock file that a package needs, by the names that it depends on. */
const closure = (entries: Entries, names: ReadonlyArray<string>): Entries => {
  const needed: Record<string, Entry> = {}
  const add = (path: string, name: string, isOptional: boolean): void => {
    const at = found(entries, path, name)
    const entry = at === undefined ? undefined : entries[at]
    if (at === undefined || entry === undefined) {
      if (isOptional) return
      throw new Error(`package-lock.json has no ${name}, which ${path || "the package"} needs.`)
    }
    if (at in needed) return
    const { dev: _, devOptional: __, optional: ___, peer: ____, ...kept } = entry
    needed[at] = kept
    for (const dependency of Object.keys(entry.dependencies ?? {})) add(at, dependency, false)
    for (const peer of Object.keys(entry.peerDependencies ?? {}))
      if (entry.peerDependenciesMeta?.[peer]?.optional !== true) add(at, peer, false)
  }
  for (const name of names) add("", name, false)
  return needed
}

/** Returns the SBOM and the table of licences of a package, by its published manifest. */
export const make = (root: string, manifest: Manifest): { readonly sbom: string; readonly licences: string } => {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { readonly packages: Entries } // our own
  const entries = Object.fromEntries(
    Object.entries(lock.packages).map(([path, entry]) => {
      if (entry.link !== true) return [path, entry]
      // the other package of this repository
      const { dependencies, license, peerDependencies, version } = lock.packages[String(entry["resolved"])] ?? {}
      return [
        path,
        { version, license, dependencies, peerDependencies, peerDependenciesMeta: allOptional(peerDependencies) }
      ]
    })
  ) as Entries
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
    // a framework that nothing here imports at run time is an optional peer, and is not installed
    (name) => manifest.peerDependenciesMeta?.[name]?.optional !== true || `node_modules/${name}` in entries
  )
  const needed = closure(entries, names)
  const dependencies = Object.fromEntries(names.map((name) => [name, needed[`node_modules/${name}`]?.version ?? ""]))
  const { description, license, name, version } = manifest
  const project = { name, version, description, license, dependencies }
  const folder = mkdtempSync(join(tmpdir(), "toolguard-sbom-"))
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify(project))
    writeFileSync(
      join(folder, "package-lock.json"),
      JSON.stringify({ name, version, lockfileVersion: 3, requires: true, packages: { "": project, ...needed } })
    )
    const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--offline"]
    const { status, stderr, stdout } = spawnSync("npm", args, {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32"
    })
    if (status !== 0) throw new Error(`npm sbom failed for ${String(name)}: ${stderr}`)
    return parts(JSON.parse(stdout) as Sbom, String(name))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const allOptional = (names: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, { optional: true }]))

const licenceOf = ({ licenses = [], name, version }: Component): string => {
  const [first] = licenses
  const licence = first?.license?.id ?? first?.expression ?? ""
  const isPermissive = licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((each) => each.split(" AND ").every((one) => permissive.has(one)))
  if (!isPermissive) throw new Error(`${name} ${version} has the licence "${licence}", which is not permissive.`)
  return licence
}

/** Removes the fields of an SBOM that differ between two builds, and creates the table. */
const parts = (sbom: Sbom, name: string) => {
  const { serialNumber: _, ...kept } = sbom
  const { timestamp: __, ...metadata } = sbom.metadata
  // npm names the project by its folder
  const own = { ...kept, metadata: { ...metadata, component: { ...sbom.metadata.component, name } } }
  const rows = sbom.components.map((one) => `| ${one.name} | ${one.version} | ${licenceOf(one)} |`).toSorted()
  const table = ["| package | version | licence |", "| --- | --- | --- |", ...new Set(rows)]
  return {
    sbom: `${JSON.stringify(own, undefined, 2)}\n`,
    licences: [
      `# Licences of the dependencies of ${name}`,
      "",
      "The package is tested with these versions. It does not contain any of these dependencies.",
      "",
      ...table,
      ""
    ].join("\n")
  }
}
