/** Creates events for the loop detector, and shows its verdicts. */
import * as LoopDetector from "#domain/loop/LoopDetector"
import type { LoopDecision, LoopEvent, LoopState } from "#domain/loop/LoopDetector"

type Failure = Extract<LoopEvent["outcome"], { readonly _tag: "Failure" }>

/** A call that succeeds, by default a read. The first word of its key is the tool. */
export const success = (key: string, digest: string | (() => string), rest: Partial<LoopEvent> = {}): LoopEvent => ({
  tool: key.split(" ")[0]!,
  key,
  access: "read",
  outcome: { _tag: "Success", digest },
  ...rest
})

/** A call that fails, by default as Permanent. */
export const failed = (key: string, rest: Partial<LoopEvent> = {}, failure: Partial<Failure> = {}): LoopEvent => ({
  ...success(key, ""),
  outcome: { _tag: "Failure", class: "Permanent", code: "refused", ...failure },
  ...rest
})

/** A call that fails as Transient. */
export const transient = (key: string, rest: Partial<LoopEvent> = {}, code = "timeout"): LoopEvent =>
  failed(key, rest, { class: "Transient", code })

/** Returns a decision as text, such as `Tell cycle 3`. */
export const shown = (decision: LoopDecision): string =>
  decision._tag === "Tell" || decision._tag === "Stop"
    ? `${decision._tag} ${decision.pattern} ${decision.count}`
    : decision._tag

/** Returns the state after events. */
export const after = (...events: ReadonlyArray<LoopEvent>): LoopState => LoopDetector.fold(events).state

/** Returns the verdicts on events as texts. */
export const verdicts = (...events: ReadonlyArray<LoopEvent>): ReadonlyArray<string> =>
  LoopDetector.fold(events).verdicts.map(shown)

/** Returns the verdict on the last event. */
export const last = (...events: ReadonlyArray<LoopEvent>): string => verdicts(...events).at(-1)!
