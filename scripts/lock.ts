/**
 * `npm run lock`: adds the missing digests (`integrity`) of `package-lock.json`, as the configured registry states them.
 *
 * npm omits the digests of binaries for other platforms if the registry did not offer them when the file was written.
 * An argument names another lock file. Fails if digests remain missing.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

interface Entry {
  readonly version?: string
  readonly link?: boolean
  integrity?: string
}

const file = process.argv[2] ?? "package-lock.json"
const lock = JSON.parse(readFileSync(file, "utf8")) as { readonly packages: Record<string, Entry> } // npm wrote this file

const remaining: Array<string> = []
for (const [path, entry] of Object.entries(lock.packages)) {
  const at = path.lastIndexOf("node_modules/")
  if (at < 0 || entry.link === true || entry.integrity !== undefined) continue
  const name = `${path.slice(at + "node_modules/".length)}@${entry.version ?? ""}`
  const { stdout } = spawnSync("npm", ["view", name, "dist.integrity"], {
    encoding: "utf8",
    shell: process.platform === "win32"
  })
  const integrity = stdout.trim()
  if (/^sha512-[\w+/]{86}==$/.test(integrity)) entry.integrity = integrity
  else remaining.push(name)
}
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`)
if (remaining.length > 0) {
  console.error(`The registry has no digest for ${remaining.length} packages: ${remaining.join(", ")}.`)
  process.exitCode = 1
}
