/** Checks that the lock file is complete for every platform, has digests, and contains no registry and no install script. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "./support/sources.ts"

interface Entry {
  /** True for the packages of this repository. */
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const entriesOf = (file: string) =>
  (JSON.parse(read(file)) as { readonly packages: Readonly<Record<string, Entry>> }).packages

const packages = entriesOf("package-lock.json")

/** Returns the entries without a digest of packages from a registry, with their paths. */
const withoutDigest = (file: string) =>
  Object.entries(entriesOf(file)).filter(
    ([path, { integrity, link }]) =>
      path.includes("node_modules/") && link !== true && integrity?.startsWith("sha512-") !== true
  )

/** The programs of the compiler for other platforms, which may lack a digest. `npm run lock` adds the missing digests. */
const compilers = /^node_modules\/@effect\/tsgo-[\w-]+$/

/** True if a package at `path` finds another package in its own folder or in a folder above. */
const finds = (path: string, name: string): boolean =>
  `${path === "" ? "" : `${path}/`}node_modules/${name}` in packages ||
  (path !== "" && finds(path.slice(0, Math.max(path.lastIndexOf("/node_modules/"), 0)), name))

describe("package-lock.json", () => {
  it("contains every dependency, even for other platforms, as npm ci requires", () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !finds(path, name))
    )
    assert.deepStrictEqual(missing, [])
  })

  it("has a digest for every package, except the programs of the compiler for other platforms", () => {
    for (const folder of ["interop", "mutation"])
      assert.deepStrictEqual(withoutDigest(`test/${folder}/package-lock.json`), [])
    const missing = withoutDigest("package-lock.json")
    const unexpected = missing.filter(
      ([path, { dev, optional }]) => !compilers.test(path) || dev !== true || optional !== true
    )
    assert.deepStrictEqual(unexpected, [])
    // no new entry may lack its digest
    assert.isAtMost(missing.length, 6)
  })

  it("contains no registry and no install script", () => {
    const entries = Object.entries(packages)
    assert.deepStrictEqual(
      entries
        .filter(
          ([, { hasInstallScript, link, resolved }]) => (resolved !== undefined && !link) || hasInstallScript === true
        )
        .map(([path]) => path),
      []
    )
  })
})
