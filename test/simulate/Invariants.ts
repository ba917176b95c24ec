/** Checks the conditions that must hold after every simulation, with any faults. */
import * as Effect from "effect/Effect"
import type { Job } from "./Job.ts"
import type { People } from "./People.ts"
import { callsIn, type IntendedCall } from "./SimulatedModel.ts"
import type { Stores } from "./Stores.ts"
import type { Upstream } from "./Upstream.ts"
import type { World } from "./World.ts"

/** Everything that an observer outside of the guard can see. */
export interface Observation {
  readonly jobs: ReadonlyArray<Job>
  readonly stores: Stores
  readonly upstream: Upstream
  readonly people: People
  readonly world: World
}

/** The report that the model read about a call. */
interface ModelReport {
  readonly call: IntendedCall & { readonly id: string }
  readonly statement: "done" | "nothing" | "unknown"
  readonly text: string
}

/** Reads an answer of the guard to a write. */
const statementOf = (text: string): ModelReport["statement"] => {
  const envelope = JSON.parse(text) as { readonly error?: { readonly side_effect?: string } }
  const effect = envelope.error === undefined ? "committed" : (envelope.error.side_effect ?? "none")
  return effect === "committed" ? "done" : effect === "none" ? "nothing" : "unknown"
}

/**
 * Returns the answers to the writes of a run, and the violations: ids that several calls have, calls without exactly
 * one answer, and answers without a call.
 */
const reportsIn = ({
  end,
  run
}: Job): { readonly reports: ReadonlyArray<ModelReport>; readonly violations: ReadonlyArray<string> } => {
  if (end === undefined) return { reports: [], violations: [] }
  const violations: Array<string> = []
  const results = end.transcript.content.flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part] : [])) : []
  )
  const calls = callsIn(end.transcript)
  const ids = new Set(calls.map(({ id }) => id))
  if (ids.size !== calls.length) violations.push(`${run}: two calls have one id`)
  const reports = calls.flatMap((call): ReadonlyArray<ModelReport> => {
    const answers = results.filter(({ id }) => id === call.id)
    if (answers.length !== 1) violations.push(`${run}: call ${call.id} has ${answers.length} answers`)
    const [answer] = answers
    if (answer === undefined || call.tool === "look") return []
    const text = typeof answer.result === "string" ? answer.result : JSON.stringify(answer.result)
    return [{ call, statement: statementOf(text), text }]
  })
  for (const { id } of results) if (!ids.has(id)) violations.push(`${run}: the answer ${id} has no call`)
  return { reports, violations }
}

/** The maximum number of attempts of one call in one process [2.9]. */
const maxAttempts = 4

/** Returns the contradictions between the reports that the models read and the effects. */
const contradictions = (
  { jobs, upstream }: Observation,
  reports: ReadonlyArray<ModelReport>,
  unknown: ReadonlySet<string>
): ReadonlyArray<string> => {
  const answers = Map.groupBy(reports, ({ call }) => call.action)
  const effects = Map.groupBy(upstream.effects, ({ action }) => action)
  const starts = Map.groupBy(upstream.starts, ({ action }) => action)
  const runStarts = jobs.reduce((sum, { starts }) => sum + starts, 0)
  return [
    ...[...effects].flatMap(([action, { length: count }]) => {
      const read = answers.get(action)
      if (read === undefined) return [`${action}: happened ${count} times, and no call of the transcript asks for it`]
      const isReported = unknown.has(action) || read.some(({ statement }) => statement === "unknown")
      return [
        ...(count > 1 && !isReported ? [`${action}: happened ${count} times, and nothing reports it`] : []),
        ...(read.every(({ statement }) => statement === "nothing")
          ? [`${action}: happened, and every answer says that nothing was done: ${read[0]?.text}`]
          : [])
      ]
    }),
    ...[...answers].flatMap(([action, read]) =>
      read.some(({ statement }) => statement === "done") && !effects.has(action)
        ? [`${action}: did not happen, and an answer says that it was done`]
        : []
    ),
    ...[...starts].flatMap(([action, { length: count }]) =>
      count > maxAttempts * runStarts
        ? [`${action}: was attempted ${count} times in ${runStarts} starts of all runs`]
        : []
    )
  ]
}

/** Returns the violated conditions. */
export const check = (seen: Observation): ReadonlyArray<string> => {
  const { jobs, people, stores, upstream, world } = seen
  const run = <A>(effect: Effect.Effect<A, unknown>): A =>
    Effect.runSync(Effect.orDie(Effect.provideContext(effect, world.server)))
  const read = jobs.map(reportsIn)
  const outcomes = run(stores.outcomes.open({ limit: 1000, answered: true }))
  const unknown = new Set(outcomes.map(({ arguments: args }) => (args as { action: string }).action))
  run(stores.approvals.expire)
  const pending = run(stores.approvals.pending({ limit: 100 })).total
  // an attempt that did nothing is repeated under the same approval
  const effects = upstream.effects.filter(({ tool }) => tool === "approved").length
  const consumed = [...stores.consumed.values()].reduce((sum, count) => sum + count, 0)
  return [
    ...jobs.flatMap(({ defects, run }) => defects.map((text) => `${run}: ${text}`)),
    ...read.flatMap(({ violations }) => violations),
    ...(jobs.every(({ end }) => end !== undefined)
      ? contradictions(
          seen,
          read.flatMap(({ reports }) => reports),
          unknown
        )
      : []),
    ...[...stores.consumed].flatMap(([id, count]) => [
      ...(count > 1 ? [`the approval ${id} was used ${count} times`] : []),
      ...(people.approved.has(id) ? [] : [`the approval ${id} was used, and no person gave it`])
    ]),
    ...(effects > consumed ? [`${effects} effects of a tool that needs approval, with ${consumed} approvals`] : []),
    ...(pending > 0 ? [`${pending} requests are pending after the end of all runs`] : [])
  ]
}

/** Returns a description of each run that did not end. */
export const unfinished = ({ jobs }: Observation, reason: string): ReadonlyArray<string> =>
  jobs.flatMap(({ end, log, run, starts }) =>
    end === undefined ? [`${run} did not end (${reason}, ${starts} starts): ${log.slice(-3).join("; ")}`] : []
  )
