/**
 * Which parts stand beside an envelope, and which are given as a link (SPEC 5.6).
 *
 * Every file is kept, also one that stands beside the envelope: a provider that takes none in a tool's result, and a
 * conversation that is shortened, then have a link in its place.
 */
import * as Part from "#domain/parts/Part"
import { noteOf, type PartLimits, type PartNote, type ShownPart } from "#domain/parts/ShownPart"
import * as Utf8 from "#domain/text/Utf8"
import * as Effect from "effect/Effect"

export interface Fitted {
  readonly parts: ReadonlyArray<ShownPart>
  readonly notes: ReadonlyArray<PartNote>
}

/** `keep` gives the link of a part, or undefined where it could not be kept. */
export const fit = (
  parts: ReadonlyArray<Part.PlainPart>,
  limits: PartLimits,
  keep: (part: Part.PlainPart) => Effect.Effect<string | undefined>
): Effect.Effect<Fitted> => {
  const left = { text: limits.textBytes, file: limits.fileBytes }
  const takes = (part: Part.PlainPart): boolean => {
    const bytes = part.type === "text" ? Utf8.length(part.text) : Part.fileBytes(part)
    if (bytes > left[part.type]) return false
    left[part.type] -= bytes
    return true
  }
  const sorted = parts.map((part) => ({ part, isShown: takes(part) }))
  const isKept = ({ isShown, part }: (typeof sorted)[number]) =>
    part.type === "text" ? !isShown : !Part.isAddress(part)
  const linked = Effect.forEach(sorted, (one) =>
    Effect.map(isKept(one) ? keep(one.part) : Effect.undefined, (url) => ({
      ...one,
      part: url === undefined ? one.part : { ...one.part, resourceUrl: url }
    }))
  )
  return Effect.map(linked, (all) => ({
    parts: all.filter(({ isShown }) => isShown).map(({ part }) => part),
    notes: all.filter(({ isShown }) => !isShown).map(({ part }) => noteOf(part))
  }))
}
