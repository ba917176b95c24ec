/** Tests the remedies in the errors of SQLite files. */
import { remedyOf } from "#layers/internal/sql/DialectSqlite"
import { assert, describe, it } from "@effect/vitest"

describe("DialectSqlite", () => {
  it("12.1 if the disk is full when the file is opened, the remedy names the disk space, not the disk's health", () => {
    const failing = (errcode: number) => remedyOf(Object.assign(new Error("disk I/O error"), { errcode }))
    assert.strictEqual(failing(4874), "The disk is full: free some space.")
    assert.strictEqual(failing(13), "The disk is full: free some space.")
    assert.strictEqual(failing(778), "The disk reports an error: check the disk and its mount.")
  })
})
