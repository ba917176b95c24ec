/**
 * Erases a tenant, a conversation or a principal from a file of call records.
 *
 * **Details**
 *
 * - The file is rewritten in place, so that a process that appends to it continues to do so. If the file grows in the
 *   meantime, it is read again.
 * - Until the file is written, `FILE.forget` holds a copy of the lines that are kept. If the process crashes, rename
 *   this copy to the name of the file.
 * - Lines that are not records are kept and reported.
 */
import { AtRest, linePlace } from "#services/AtRest"
import { Forget, type ForgetScope, ForgetUnavailable, type ForgetReport, isOf } from "#services/Forget"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as PrivateFile from "#layers/internal/stores/PrivateFile"
import { ownerOfFields, parsed } from "#layers/internal/stores/StoredOwner"
import { key as turnKey } from "#domain/turn/Turn"
import type { AtRestCipher, AtRestUnreadable } from "#services/AtRest"

interface Lines {
  readonly kept: ReadonlyArray<string>
  readonly removed: number
  readonly unread: number
  readonly turns: ReadonlyArray<string>
}

/** Separates the lines of the scope from the other lines of a file. */
const sorted = (cipher: AtRestCipher, scope: ForgetScope, text: string): Result.Result<Lines, AtRestUnreadable> => {
  const kept: Array<string> = []
  const turns = new Set<string>()
  let [removed, unread] = [0, 0]
  for (const line of text.split("\n")) {
    if (line === "") continue
    const opened = cipher.open(line, linePlace)
    if (Result.isFailure(opened) && opened.failure.reason !== "changed") return Result.fail(opened.failure)
    const owner = Result.isSuccess(opened) ? ownerOfFields(parsed(opened.success)) : {}
    const { conversation, principal, tenant, turn } = owner
    if (tenant !== undefined && isOf(scope, owner)) {
      removed += 1
      if (conversation !== undefined && turn !== undefined) {
        turns.add(turnKey({ tenant, conversation, turn, ...(principal === undefined ? {} : { principal }) }))
      }
      continue
    }
    if (tenant === undefined) unread += 1
    kept.push(line)
  }
  return Result.succeed({ kept, removed, unread, turns: [...turns] })
}

/** Writes the kept lines in place. Returns false if the file has grown since it was read. */
const rewritten = (file: string, kept: ReadonlyArray<string>, bytes: number): boolean => {
  const text = kept.map((line) => `${line}\n`).join("")
  const copy = `${file}.forget`
  const handle = openSync(file, "r+")
  try {
    if (fstatSync(handle).size !== bytes) return false
    writeFileSync(copy, text, { mode: PrivateFile.mode, flush: true })
    writeFileSync(handle, text, { flush: true })
    ftruncateSync(handle, Buffer.byteLength(text))
    rmSync(copy)
    return true
  } finally {
    closeSync(handle)
  }
}

const maxAttempts = 20

const make = (cipher: AtRestCipher, file: string) => {
  const store = `call records in ${file}`
  const forget = (scope: ForgetScope, dryRun: boolean): ForgetReport => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const content = readFileSync(file)
      const { kept, removed, turns, unread } = Result.getOrThrowWith(
        sorted(cipher, scope, content.toString("utf8")),
        (error) => error
      )
      if (!dryRun && removed > 0 && !rewritten(file, kept, content.length)) continue
      return {
        removed: [{ store, count: removed }],
        left: unread === 0 ? [] : [{ store, reason: `Kept lines that are not call records: ${unread}.` }],
        turns
      }
    }
    throw new Error(`${file} grows faster than it can be rewritten: stop the process that writes to it.`)
  }
  return Forget.of({
    forget: Effect.fn("Forget.forget")((scope, { dryRun = false, turns = [] } = {}) =>
      Effect.try({
        try: () => forget(scope, dryRun),
        catch: (cause) => new ForgetUnavailable({ cause })
      }).pipe(Effect.map((forgotten) => ({ ...forgotten, turns: [...new Set([...turns, ...forgotten.turns])] })))
    )
  })
}

/** Erases from a file of call records. */
export const layer = (file: string): Layer.Layer<Forget> =>
  Layer.effect(
    Forget,
    Effect.map(AtRest, (cipher) => make(cipher, file))
  )
