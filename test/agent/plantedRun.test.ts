/** Tests that a SQLite file and a file of call records contain no plaintext of a run if the stores encrypt. */
import * as CallLogFile from "#layers/CallLogFile"
import * as SqliteNode from "#layers/SqliteNode"
import * as StoresSql from "#layers/StoresSql"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Layer } from "effect"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { encrypting } from "../support/atRest.ts"
import { planted, plantedRun, wordsIn } from "./plantedRun.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-planted-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns all bytes of the files in a folder, as Latin-1, so that a word in UTF-8 or UTF-16 is found. */
const bytesOf = (path: string): string =>
  readdirSync(path)
    .map((name) => readFileSync(join(path, name), "latin1"))
    .join("\n")
    .replaceAll("\u0000", "")

const storesIn = (name: string) => {
  const path = mkdtempSync(join(folder, `${name}-`))
  const stores = StoresSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: join(path, "stores.db") })))
  const log = CallLogFile.layerWith({ file: join(path, "calls.jsonl"), keep: "full" })
  return { path, stores, log }
}

describe("stored texts", () => {
  it.effect("without encryption, the files contain every planted word, which shows that the run stores them", () => {
    const { path, stores } = storesIn("clear")
    return Effect.map(plantedRun(stores), () => assert.sameMembers([...wordsIn(bytesOf(path))], Object.values(planted)))
  })

  it.effect("encrypted, no file of the database contains a planted word, and the run can be resumed", () => {
    const { path, stores } = storesIn("aes")
    return Effect.map(plantedRun(stores.pipe(Layer.provide(encrypting()))), () =>
      assert.deepStrictEqual(wordsIn(bytesOf(path)), [])
    )
  })

  it.effect("encrypted, a file of call records contains no planted word", () => {
    const { log, path, stores } = storesIn("file")
    const both = Layer.merge(stores, log).pipe(Layer.provide(encrypting()))
    return Effect.map(plantedRun(both), () => {
      assert.deepStrictEqual(wordsIn(bytesOf(path)), [])
      assert.isAtLeast(readFileSync(join(path, "calls.jsonl"), "utf8").trim().split("\n").length, 2)
    })
  })
})
