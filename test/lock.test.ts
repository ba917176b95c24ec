/** The lock file installs everywhere: it is complete for every platform, names no host, and runs no script. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "./support/sources.ts"

interface Entry {
  /** True for our own packages, which are folders of this tree. */
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, Entry>> }

/** True if a package at `path` finds the other one, in its own folder or in one above. */
const finds = (path: string, name: string): boolean =>
  `${path === "" ? "" : `${path}/`}node_modules/${name}` in packages ||
  (path !== "" && finds(path.slice(0, Math.max(path.lastIndexOf("/node_modules/"), 0)), name))

describe("package-lock.json", () => {
  it("holds every dependency, also of other platforms, without which npm ci refuses", () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !finds(path, name))
    )
    assert.deepStrictEqual(missing, [])
  })

  it("names no registry and needs no install script", () => {
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
