/**
 * The expected result of each hostile model: the end of the run, the executions by tool, and what the model reads.
 *
 * Identical calls run a limited number of times: a read three times if a person approves, a call with a permanent failure
 * once, equal writes once. Unknown, malformed or oversized calls do not run.
 */
export interface ExpectedResult {
  readonly end: string
  readonly runs: Readonly<Record<string, number>>
  /** The distinct envelopes: `success`, or class and code. */
  readonly read: ReadonlyArray<string>
}

type Row = readonly [end: string, runs: ExpectedResult["runs"], read: ReadonlyArray<string>]

const success = "success"
const unknownTool = "tool_arg_error unknown_tool"
const invalidJson = "tool_arg_error invalid_json"
const invalid = "tool_arg_error invalid_arguments"
const tooLarge = "tool_arg_error arguments_too_large"
const failed = "permanent tool_failed"
const loop = "human_review loop_detected"

const refused = (...read: ReadonlyArray<string>): Row => ["Answered", {}, read]
const answered = (runs: ExpectedResult["runs"], ...read: ReadonlyArray<string>): Row => [
  "Answered",
  runs,
  [success, ...read]
]

/** Returns the expectations by scenario. `rounds` is the limit of the scenarios that never stop. */
export const expected = (rounds: number): ReadonlyMap<string, ExpectedResult> => {
  const limited = (runs: ExpectedResult["runs"], read: string): Row => ["LimitReached rounds", runs, [read]]
  const rows: Readonly<Record<string, Row>> = {
    junk_arguments: refused(invalidJson),
    junk_for_a_write: ["NeedsPerson", {}, [invalidJson]],
    same_call_endlessly: ["LoopDetected", { get_order: 2 }, [success, loop]],
    same_call_until_the_round_limit: limited({ get_order: 3 }, success),
    same_failing_call_endlessly: ["LoopDetected", { get_order: 1 }, [failed, loop]],
    same_failing_call_until_the_round_limit: limited({ get_order: 1 }, failed),
    invalid_calls_endlessly: ["LoopDetected", {}, [invalid]],
    invalid_calls_until_the_round_limit: limited({}, invalid),
    unknown_tools_until_the_round_limit: limited({}, unknownTool),
    alternating_endlessly: ["LoopDetected", { get_order: 4 }, [success, loop]],
    new_calls_until_the_round_limit: limited({ get_order: rounds }, success),
    many_at_once: answered({ get_order: 200 }),
    many_equal_at_once: answered({ get_order: 1 }),
    many_writes_at_once: answered({ set_note: 200 }),
    equal_writes_at_once: answered({ set_note: 1 }, "transient in_progress"),
    equal_keyed_writes_at_once: ["LoopDetected", { place_order: 1 }, [success, loop]],
    long_tool_names: refused(unknownTool),
    prototype_tools: refused(unknownTool),
    odd_tools: refused(unknownTool),
    prototype_arguments: refused(invalidJson, invalid),
    odd_arguments: refused(invalidJson, invalid),
    duplicate_keys: ["NeedsPerson", { get_order: 1 }, [success, invalid]],
    empty_ids: answered({ get_order: 3 }),
    equal_ids: answered({ get_order: 6 }),
    long_ids: answered({ get_order: 3 }),
    control_characters: answered({ get_order: 1 }, invalidJson),
    deep_arguments: refused(tooLarge),
    long_argument: answered({ get_order: 1 }),
    too_long_argument: refused(tooLarge),
    cut_large_arguments: refused(tooLarge),
    wrong_objects: refused(invalid),
    wrong_texts: refused(invalid),
    unknown_fields: refused(invalid),
    long_text: answered({ get_order: 1 }),
    cut_call: answered({ get_order: 1 }, "tool_arg_error truncated_arguments"),
    filtered_call: answered({ set_note: 1 }),
    call_after_refusal: answered({ get_order: 1 }),
    call_in_text: refused(),
    self_approval: ["NeedsPerson", {}, [invalid, unknownTool]],
    forged_results: answered({ get_order: 1 }),
    forged_approval: ["NeedsPerson", {}, ["human_review no_person"]],
    reused_keys: answered({ name_price: 1 }, "tool_arg_error key_conflict", invalid, invalidJson),
    empty_response: refused()
  }
  return new Map(Object.entries(rows).map(([name, [end, runs, read]]) => [name, { end, runs, read }]))
}
