/** Builds layers whose optional peer is missing, in a process whose folder has only the library and `effect`. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../../support/sources.ts"
import { node } from "../../../support/tools.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-peers-"))

beforeAll(() => {
  for (const path of ["package.json", "src", "services", "layers"])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  cpSync(join(import.meta.dirname, "embedder.ts"), join(folder, "embedder.ts"))
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(join(root, "node_modules/effect"), join(folder, "node_modules/effect"), "junction")
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const buildResults = async (): Promise<Record<string, string>> => {
  const { code, stderr, stdout } = await node(["embedder.ts"], { cwd: folder })
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

const needs = (layer: string, name: string) =>
  `effect-toolguard/layers/${layer} needs the package ${name}. Install it: npm install ${name}`

describe("a layer whose optional peer is missing", () => {
  it("reports which package to install, and other layers work", async () => {
    const durable = `defect PeerMissing: ${needs("DurablePostgres", "@effect/platform-node")}`
    assert.deepStrictEqual(await buildResults(), {
      Postgres: `failure effect-toolguard/DatabaseUnavailable: Cannot use PostgreSQL at 127.0.0.1:9/test. ${needs("Postgres", "@effect/sql-pg")}`,
      "Postgres without an address":
        "failure effect-toolguard/DatabaseUnavailable: Cannot use PostgreSQL. Its address is not a URL like postgres://user:password@host:5432/database.",
      RedisNode: `failure effect-toolguard/DatabaseUnavailable: Cannot use Redis at 127.0.0.1:9. ${needs("RedisNode", "@effect/platform-node")}`,
      DurablePostgres: durable,
      "DurablePostgres client": durable,
      DurableSqlite: "built",
      "EscalationHttp layer": "built",
      "EscalationHttp routes": "status 200",
      "EscalationHttp serve": `defect PeerMissing: ${needs("EscalationHttp", "@effect/platform-node")}`
    })
  })

  it("reports a missing package that the peer itself needs", async () => {
    const peer = join(folder, "node_modules/@effect/platform-node")
    mkdirSync(peer, { recursive: true })
    writeFileSync(join(peer, "package.json"), '{ "type": "module", "exports": { "./*": "./*.js" } }')
    writeFileSync(join(peer, "NodeRedis.js"), 'import "redis"')
    const { RedisNode } = await buildResults()
    assert.include(RedisNode, needs("RedisNode", "redis"))
  })
})
