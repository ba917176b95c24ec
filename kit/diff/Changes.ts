/**
 * Compares two snapshots of tools [13.4]. Schemas are compared by what they accept, not by their text.
 *
 * **Details**
 *
 * - Parameters: a change is breaking if the old schema accepted arguments that the new schema refuses.
 * - Results: a change is breaking if the new schema allows values that the old schema did not allow. Readers of a
 *   guarded tool's results drop undeclared fields, so a new field breaks nothing.
 * - A break that can be neither proven nor ruled out counts as breaking, and the text of the change says so.
 * - Declaring a field that open parameters already accepted is a behavioural change.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { gaps } from "#kit/containment/Contains"
import type { Gap } from "#kit/containment/Gap"
import { sample } from "#kit/containment/Samples"
import * as Effort from "#kit/schema/Effort"
import { opener } from "#kit/schema/Term"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { type Change, type Consequence, make, type Subject, type Weight } from "./Change.ts"
import type { Snapshot, ToolPromise } from "./Snapshot.ts"
import { annotationDifferences } from "./AnnotationChanges.ts"
import { describe, shown } from "./GapText.ts"

const order: Readonly<Record<Weight, number>> = { breaking: 0, behavioural: 1, safe: 2 }

/**
 * Returns all changes: first the breaking changes, then the behavioural changes, then the safe changes, each sorted by
 * the name of the tool.
 */
export const changes = (before: Snapshot, after: Snapshot): ReadonlyArray<Change> =>
  Effort.inSeries(() => changesOf(before, after))

const changesOf = (before: Snapshot, after: Snapshot): ReadonlyArray<Change> => {
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
  const witness = Effort.bounded(() => sample(opener()(parameters)), undefined)
  return make({
    tool,
    subject: "tool",
    weight: "breaking",
    text: successor === undefined ? "was removed" : `was removed; ${successor} is new`,
    ...(witness === undefined ? {} : { witness })
  })
}

const toolChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> => [
  ...parameterChanges(tool, then, now),
  ...resultChanges(tool, then, now),
  ...(then.description === now.description
    ? []
    : [make({ tool, subject: "description", weight: "behavioural", text: "has a different description" })]),
  ...(then.access === now.access
    ? []
    : [make({ tool, subject: "access", weight: "behavioural", text: accessText(then, now) })]),
  ...annotationChanges(tool, then, now)
]

const accessText = (then: ToolPromise, now: ToolPromise): string =>
  `has the access ${now.access ?? "(undeclared)"}, was ${then.access ?? "(undeclared)"}`

const change = (
  tool: string,
  subject: Subject,
  { path, reason, witness }: Gap,
  weight: Weight,
  consequence: Consequence
): Change => {
  const isUnproven = weight === "breaking" && witness === undefined
  return make({
    tool,
    subject,
    path,
    weight,
    text: `${describe(reason, consequence)}${isUnproven && reason._tag !== "Unknown" ? " (compatibility not proven)" : ""}`,
    isUnproven,
    reason,
    consequence,
    ...(witness === undefined ? {} : { witness })
  })
}

const schemaAnnotationChanges = (
  tool: string,
  subject: Subject,
  before: unknown,
  after: unknown
): ReadonlyArray<Change> =>
  annotationDifferences(before, after).map(({ path, text }) =>
    make({ tool, subject, path, weight: "behavioural", text })
  )

const parameterChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> => {
  const [before, after] = [then.parameters, now.parameters]
  const refused = gaps(before, after).map((gap) =>
    change(tool, "parameters", gap, gap.reason._tag === "Listed" ? "behavioural" : "breaking", "refused")
  )
  const accepted = gaps(after, before)
    .filter(({ witness }) => witness !== undefined)
    .map((gap) => change(tool, "parameters", gap, gap.reason._tag === "Listed" ? "behavioural" : "safe", "accepted"))
  return [...refused, ...accepted, ...schemaAnnotationChanges(tool, "parameters", before, after)]
}

const resultChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> => {
  const [before, after] = [then.result ?? {}, now.result ?? {}]
  const readable = then.isGuarded && now.isGuarded ? withoutClosedObjects(before) : before
  const possible = gaps(after, readable).map((gap) => change(tool, "result", gap, "breaking", "possible"))
  const impossible = gaps(before, after)
    .filter(({ witness }) => witness !== undefined)
    .map((gap) => change(tool, "result", gap, "safe", "impossible"))
  const dropped = (readable === before ? [] : gaps(after, before))
    .filter(({ reason }) => reason._tag === "Removed")
    .map((gap) => change(tool, "result", gap, "safe", "accepted"))
  return [...possible, ...impossible, ...dropped, ...schemaAnnotationChanges(tool, "result", before, after)]
}

/**
 * Removes `additionalProperties: false` everywhere, because a reader that drops undeclared fields ignores the keyword.
 */
const withoutClosedObjects = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutClosedObjects)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) =>
      name === "additionalProperties" && value === false ? [] : [[name, withoutClosedObjects(value)]]
    )
  )
}

/**
 * Compares the refusals that a tool declares, by code. A new refusal is a behavioural change, because callers do not
 * handle it yet. Removing a refusal is a safe change, because the outcome no longer occurs.
 */
const refusalChanges = (tool: string, before: JsonObject, after: JsonObject): ReadonlyArray<Change> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((code) => {
    const [then, now] = [before[code], after[code]]
    if (then === now) return []
    const text =
      now === undefined
        ? `the refusal ${code} is no longer declared`
        : then === undefined
          ? `the refusal ${code} is new`
          : `the refusal ${code} has the class ${shown(now)}, was ${shown(then)}`
    return [make({ tool, subject: "annotations", weight: now === undefined ? "safe" : "behavioural", text })]
  })

const annotationChanges = (tool: string, then: ToolPromise, now: ToolPromise): ReadonlyArray<Change> =>
  [...new Set([...Object.keys(then.annotations), ...Object.keys(now.annotations)])].sort().flatMap((name) => {
    const [before, after] = [then.annotations[name], now.annotations[name]]
    if (CallKey.canonical(before) === CallKey.canonical(after)) return []
    if (name === "refusals" && now.isGuarded) return refusalChanges(tool, Fields.of(before), Fields.of(after))
    const is = after === undefined ? "is no longer declared" : `is ${shown(after)}`
    const was = before === undefined ? "was not declared" : `was ${shown(before)}`
    return [make({ tool, subject: "annotations", weight: "behavioural", text: `${name} ${is}, ${was}` })]
  })
