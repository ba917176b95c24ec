/**
 * Decides which parts are shown next to an envelope, and which become links in it [5.6].
 *
 * Every file except an address is stored, even if it is shown. The link replaces the file for a provider that accepts
 * no files in tool results, and in a compacted conversation.
 */
import * as Part from "#domain/parts/Part"
import { noteOf, type PartLimits, type PartNote, type ShownPart } from "#domain/parts/ShownPart"
import * as Utf8 from "#domain/text/Utf8"
import * as Effect from "effect/Effect"

interface Placement {
  readonly parts: ReadonlyArray<ShownPart>
  readonly notes: ReadonlyArray<PartNote>
}

/**
 * Places parts in order, each within the bytes that `limits` still allow. `keep` returns the link of a stored part;
 * undefined if storing failed.
 */
export const place = (
  parts: ReadonlyArray<Part.PlainPart>,
  limits: PartLimits,
  keep: (part: Part.PlainPart) => Effect.Effect<string | undefined>
): Effect.Effect<Placement> => {
  const remaining = { text: limits.textBytes, file: limits.fileBytes }
  const fits = (part: Part.PlainPart): boolean => {
    const bytes = part.type === "text" ? Utf8.length(part.text) : Part.fileBytes(part)
    if (bytes > remaining[part.type]) return false
    remaining[part.type] -= bytes
    return true
  }
  const sorted = parts.map((part) => ({ part, isShown: fits(part) }))
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
