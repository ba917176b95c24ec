/**
 * Compares two snapshots of tools (SPEC 13.4): by what their schemas accept, not by their text.
 *
 * **Details**
 *
 * - Parameters: what the old ones accepted and the new ones refuse is breaking.
 * - Results: what the new ones allow and the old ones did not is breaking. Whoever reads the results of a guarded tool drops
 *   fields that it does not know: a new field breaks nothing.
 * - What can neither be proven nor ruled out counts as breaking, and says so.
 * - A field that open parameters took as it came, and that is declared now, is told and breaks nothing.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { gaps } from "#kit/containment/Contains"
import type { Gap } from "#kit/containment/Gap"
import { sample } from "#kit/containment/Samples"
import { opener } from "#kit/schema/Term"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { type Change, make, type Subject, type Weight } from "./Change.ts"
import type { Snapshot, ToolPromise } from "./Snapshot.ts"
import { tellings } from "./Told.ts"
import { shown, type View, worded } from "./Wording.ts"

const order: Readonly<Record<Weight, number>> = { breaking: 0, behavioural: 1, safe: 2 }

/** All changes, those that break first, then by the names of tools. */
export const changes = (before: Snapshot, after: Snapshot): ReadonlyArray<Change> => {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  const added = [...after.keys()].filter((name) => !before.has(name))
  return names
    .flatMap((name) => {
      const [then, now] = [before.get(name), after.get(name)]
      if (then === undefined) return [make({ tool: name, subject: "tool", weight: "safe", text: "is new" })]
      return now === undefined ? [removed(name, then, added)] : toolChanges(name, then, now)
    })
    .toSorted((a, b) => order[a.weight] - order[b.weight])
}

const removed = (tool: string, { parameters }: ToolPromise, added: ReadonlyArray<string>): Change => {
  const [successor] = nearest(tool, added)
  const witness = sample(opener()(parameters))
  return make({
    tool,
    subject: "tool",
    weight: "breaking",
    text: successor === undefined ? "is gone" : `is gone; ${successor} is new`,
    ...(witness === undefined ? {} : { witness })
  })
}

const toolChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> => [
  ...parameterChanges(tool, then, now),
  ...resultChanges(tool, then, now),
  ...(then.description === now.description
    ? []
    : [make({ tool, subject: "description", weight: "behavioural", text: "has another description" })]),
  ...(then.access === now.access
    ? []
    : [make({ tool, subject: "access", weight: "behavioural", text: accessText(then, now) })]),
  ...annotationChanges(tool, then, now)
]

const accessText = (then: ToolPromise, now: ToolPromise): string =>
  `has the access ${now.access ?? "(not said)"}, it was ${then.access ?? "(not said)"}`

const change = (tool: string, subject: Subject, { path, reason, witness }: Gap, weight: Weight, view: View): Change => {
  const isUnproven = weight === "breaking" && witness === undefined
  return make({
    tool,
    subject,
    path,
    weight,
    text: `${worded(reason, view)}${isUnproven && reason._tag !== "Unknown" ? " (cannot be proven to break nothing)" : ""}`,
    isUnproven,
    ...(witness === undefined ? {} : { witness })
  })
}

const told = (tool: string, subject: Subject, before: unknown, after: unknown): ReadonlyArray<Change> =>
  tellings(before, after).map(({ path, text }) => make({ tool, subject, path, weight: "behavioural", text }))

const parameterChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> => {
  const [before, after] = [then.parameters, now.parameters]
  const refused = gaps(before, after).map((gap) =>
    change(tool, "parameters", gap, gap.reason._tag === "Listed" ? "behavioural" : "breaking", "refuses")
  )
  const taken = gaps(after, before)
    .filter(({ witness }) => witness !== undefined)
    .map((gap) => change(tool, "parameters", gap, gap.reason._tag === "Listed" ? "behavioural" : "safe", "takes"))
  return [...refused, ...taken, ...told(tool, "parameters", before, after)]
}

const resultChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> => {
  const [before, after] = [then.result ?? {}, now.result ?? {}]
  const readable = then.isGuarded && now.isGuarded ? opened(before) : before
  const answered = gaps(after, readable).map((gap) => change(tool, "result", gap, "breaking", "answers"))
  const spared = gaps(before, after)
    .filter(({ witness }) => witness !== undefined)
    .map((gap) => change(tool, "result", gap, "safe", "spares"))
  const dropped = (readable === before ? [] : gaps(after, before))
    .filter(({ reason }) => reason._tag === "Removed")
    .map((gap) => change(tool, "result", gap, "safe", "takes"))
  return [...answered, ...spared, ...dropped, ...told(tool, "result", before, after)]
}

/** The schema as whoever drops what it does not know reads it. */
const opened = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(opened)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) =>
      name === "additionalProperties" && value === false ? [] : [[name, opened(value)]]
    )
  )
}

const annotationChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> =>
  [...new Set([...Object.keys(then.annotations), ...Object.keys(now.annotations)])].sort().flatMap((name) => {
    const [before, after] = [then.annotations[name], now.annotations[name]]
    if (CallKey.canonical(before) === CallKey.canonical(after)) return []
    const is = after === undefined ? "is no longer said" : `is ${shown(after)}`
    const was = before === undefined ? "it was not said" : `it was ${shown(before)}`
    return [make({ tool, subject: "annotations", weight: "behavioural", text: `${name} ${is}, ${was}` })]
  })
