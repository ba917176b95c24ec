/**
 * What each hostile model comes to: the end of the run, the executions by tool, and what the model reads.
 *
 * The identical call runs at most as often as its budget allows: reads three times, where a person lets it; a failure
 * that stays one once; equal writes once. What is unknown, malformed or too large does not run at all.
 */
export interface Expected {
  readonly end: string
  readonly runs: Readonly<Record<string, number>>
  /** The different answers: `success`, or class and code. */
  readonly read: ReadonlyArray<string>
}

type Row = readonly [end: string, runs: Expected["runs"], read: ReadonlyArray<string>]

const fine = "success"
const unknownTool = "tool_arg_error unknown_tool"
const noJson = "tool_arg_error invalid_json"
const invalid = "tool_arg_error invalid_arguments"
const tooLarge = "tool_arg_error arguments_too_large"
const failed = "permanent tool_failed"
const loop = "human_review loop_detected"

const refused = (...read: ReadonlyArray<string>): Row => ["Answered", {}, read]
const answered = (runs: Expected["runs"], ...read: ReadonlyArray<string>): Row => ["Answered", runs, [fine, ...read]]

/** `rounds`: how many the hopeless ones are given. */
export const expected = (rounds: number): ReadonlyMap<string, Expected> => {
  const limited = (runs: Expected["runs"], read: string): Row => ["LimitReached rounds", runs, [read]]
  const rows: Readonly<Record<string, Row>> = {
    junk_arguments: refused(noJson),
    junk_for_a_write: ["NeedsPerson", {}, [noJson]],
    same_call_for_ever: ["LoopDetected", { get_order: 2 }, [fine, loop]],
    same_call_hundreds_of_times: limited({ get_order: 3 }, fine),
    same_failing_call_for_ever: ["LoopDetected", { get_order: 1 }, [failed, loop]],
    same_failing_call_hundreds_of_times: limited({ get_order: 1 }, failed),
    invalid_calls_for_ever: ["LoopDetected", {}, [invalid]],
    invalid_calls_hundreds_of_times: limited({}, invalid),
    unknown_tools_hundreds_of_times: limited({}, unknownTool),
    alternating_for_ever: ["LoopDetected", { get_order: 4 }, [fine, loop]],
    new_calls_hundreds_of_times: limited({ get_order: rounds }, fine),
    many_at_once: answered({ get_order: 200 }),
    many_equal_at_once: answered({ get_order: 1 }),
    many_writes_at_once: answered({ set_note: 200 }),
    equal_writes_at_once: answered({ set_note: 1 }, "transient in_progress"),
    equal_keyed_writes_at_once: ["LoopDetected", { place_order: 1 }, [fine, loop]],
    long_tool_names: refused(unknownTool),
    prototype_tools: refused(unknownTool),
    odd_tools: refused(unknownTool),
    prototype_arguments: refused(noJson, invalid),
    odd_arguments: refused(noJson, invalid),
    given_twice: ["NeedsPerson", { get_order: 1 }, [fine, invalid]],
    empty_ids: answered({ get_order: 3 }),
    equal_ids: answered({ get_order: 6 }),
    long_ids: answered({ get_order: 3 }),
    control_characters: answered({ get_order: 1 }, noJson),
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
    stolen_keys: answered({ name_price: 1 }, "tool_arg_error key_conflict", invalid, noJson),
    silence: refused()
  }
  return new Map(Object.entries(rows).map(([name, [end, runs, read]]) => [name, { end, runs, read }]))
}
