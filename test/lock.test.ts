/** Checks that the lock file is complete for every platform, and contains no registry and no install script. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "./support/sources.ts"

interface Entry {
  /** True for the packages of this repository. */
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, Entry>> }

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
