/** The fields of a declared refusal as a model reads them [3.5], within the room that an envelope has [5.5]. */
import { type Failure, isRefusal, refusalOf } from "#domain/failure/Failure"
import * as JsonLength from "#domain/json/JsonLength"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { shownOnOneLine } from "#domain/text/VisibleText"

/**
 * Returns the fields of a declared refusal without its tag, which is the code, and without a `message` that the model
 * reads as the message. The fields can be empty. Returns undefined for any other failure, so that a client can
 * recognise a declared refusal.
 */
export const of = (failure: Failure): JsonObject | undefined => {
  const refusal = refusalOf(failure)
  if (!isRefusal(failure) || !isJsonObject(refusal)) return undefined
  return Object.fromEntries(
    Object.entries(refusal).filter(
      ([name, value]) =>
        name !== "_tag" &&
        !(name === "message" && typeof value === "string" && shownOnOneLine(value) === failure.detail)
    )
  )
}

/** Returns the fields, shortened so that their JSON has at most `room` code units. Fields that do not fit are left out. */
export const fit = (details: JsonObject, room: number): JsonObject => {
  let left = room - frame
  const kept: Array<readonly [string, unknown]> = []
  for (const [name, value] of Object.entries(details)) {
    const size = left - JsonLength.of(name) - `"":,`.length
    const shown = shortened(value, size)
    if (shown === undefined) continue
    left = size - JSON.stringify(shown).length
    kept.push([name, shown])
  }
  return Object.fromEntries(kept)
}

const frame = `,"details":{}`.length

/** The maximum length of the text or value of one field. */
const maxLength = 100

/** Returns a value of at most `room` code units: itself, its beginning, or its size; undefined if nothing fits. */
const shortened = (value: unknown, room: number): unknown => {
  const most = Math.min(room, maxLength)
  if (typeof value === "string") {
    const text = JsonLength.cut(value, most - 2)
    return most >= minLength || (most >= 2 && text === value) ? text : undefined
  }
  if (JSON.stringify(value).length <= most) return value
  const size = Array.isArray(value) ? `array of ${value.length}` : `object of ${Object.keys(Object(value)).length}`
  return JSON.stringify(size).length <= most ? size : undefined
}

/** The room that the beginning of a longer text needs to be useful. */
const minLength = 12
