/**
 * Tests which calls of invented traffic the guard would stop, and which stops are suspects. Each case is traffic of a
 * kind that looks like a loop, and often is none.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RecordedMessage, RecordedTool } from "#kit/traffic/Conversation"
import * as Replay from "#kit/replay/Replay"
import { conversation, said, tool, user } from "./logs.ts"

interface Answer {
  readonly isError?: boolean
  readonly at?: number
}

/** A message of the user (a text), or a call in its own round with its answer. */
type Step = string | readonly [name: string, args: object, text: string, answer?: Answer]

const messages = (steps: ReadonlyArray<Step>): ReadonlyArray<RecordedMessage> =>
  steps.flatMap((step, index): ReadonlyArray<RecordedMessage> => {
    if (typeof step === "string") return [user(step)]
    const [name, args, text, answer = {}] = step
    return [
      { role: "assistant", text: "", calls: [{ id: `c${index}`, name, arguments: JSON.stringify(args) }] },
      { role: "tool", callId: `c${index}`, text, ...answer }
    ]
  })

/** Returns the blocked calls and the ends of runs, each with its number and reason. Suspects have a `?`. */
const stopsOf = (steps: ReadonlyArray<Step>, tools: ReadonlyArray<RecordedTool> = []): ReadonlyArray<string> => {
  const replay = Effect.runSync(Effect.scoped(Replay.make()))
  const { calls } = replay.play(conversation(tools, [user("go"), ...messages(steps), said("done")]))
  return calls.flatMap(({ contradiction, loop, number, tally }) => {
    const reason = tally.saving ?? tally.refusal ?? (loop === undefined ? undefined : `end after ${loop.pattern}`)
    if (reason === undefined && contradiction === undefined) return []
    return [`${number} ${reason ?? "after the end"}${contradiction === undefined ? "" : "?"}`]
  })
}

const times = (count: number, steps: (index: number) => ReadonlyArray<Step>): ReadonlyArray<Step> =>
  Array.from({ length: count }, (_, index) => steps(index)).flat()

const failed = { isError: true }
const nine = Date.UTC(2026, 0, 5, 9)

const kinds: ReadonlyArray<
  readonly [name: string, steps: ReadonlyArray<Step>, stops: ReadonlyArray<string>, tools?: ReadonlyArray<RecordedTool>]
> = [
  // polling
  [
    "7.2 a status is polled at the times that the model reads",
    times(6, (n) => [
      ["get_build", { id: 1 }, `{"status":"${n < 5 ? "running" : "passed"}"}`, { at: nine + n * 40_000 }]
    ]),
    []
  ],
  // the first answer, one in the middle and the last but one, each with a time in 2099
  ...[0, 3, 6].map((wrong): (typeof kinds)[number] => [
    `7.2 a time in 2099 of answer ${wrong + 1} does not stop the clock for the polls after it`,
    times(8, (n) => [
      [
        "get_build",
        { id: 1 },
        `{"status":"${n < 7 ? "running" : "passed"}"}`,
        { at: n === wrong ? Date.UTC(2099, 0, 1) : nine + n * 40_000 }
      ]
    ]),
    []
  ]),
  [
    "7.2 a status is polled in a log without times",
    times(8, (n) => [["get_build", { id: 1 }, `{"status":"${n < 7 ? "running" : "passed"}"}`]]),
    []
  ],
  [
    "13.1 a poll with answers in prose is stopped, and all its stops are suspects",
    times(6, (n) => [["check_job", { id: 1 }, n < 5 ? "The job has not ended." : "The job has 12 rows."]]),
    ["3 loop?", "4 loop?", "5 loop?", "6 loop?"]
  ],
  [
    "13.1 the stops of a poll are no suspects if the answer never changes",
    times(5, () => [["check_job", { id: 1 }, "The job has not ended."]]),
    ["3 loop", "4 loop", "5 loop"]
  ],
  [
    "7.1 a tool that waits resets the counts of the reads between",
    times(6, () => [
      ["check_job", { id: 1 }, "The job has not ended."],
      ["sleep", { seconds: 30 }, "slept"]
    ]),
    []
  ],
  // pagination
  ["7.1 pages with page numbers", times(12, (n) => [["list_orders", { page: n }, `{"orders":[${n}]}`]]), []],
  ["7.1 pages that one call fetches in turn", times(12, (n) => [["next_page", {}, `{"orders":[${n}]}`]]), []],
  ["7.1 searches without a hit", times(12, (n) => [["search_orders", { customer: n }, `{"orders":[]}`]]), []],
  // test, edit, test
  [
    "7.1 tests that fail in the same way between different edits",
    times(6, (n) => [
      ["bash", { command: "npm test" }, "3 failed, 10 passed"],
      ["bash", { command: `sed -i s/a/${n}/ a.ts` }, ""]
    ]),
    []
  ],
  [
    "7.1 tests between edits that fail",
    times(4, () => [
      ["read_file", { path: "a" }, "a"],
      ["write_file", { path: "a" }, "EACCES: permission denied, open 'a'", failed]
    ]),
    ["4 recall", "5 loop", "6 loop", "7 loop", "8 loop"]
  ],
  // games
  [
    "7.1 equal moves in a game, each with an effect, up to the limit of a write",
    times(11, () => [["press_key", { key: "left" }, "moved"]]),
    ["11 recall"]
  ],
  [
    "7.1 moves and views of a game in turn",
    times(8, (n) => [
      ["move", { to: "north" }, "ok"],
      ["get_board", {}, `${n}`]
    ]),
    []
  ],
  ["7.1 rolls of a die with equal results", [3, 3, 3, 1, 3, 3, 3].map((n): Step => ["roll_dice", {}, `${n}`]), []],
  ...[
    "browser_click",
    "browser_press_key",
    "browser_scroll_down",
    "browser_wait",
    "browserType",
    "mouse_click",
    "mcp__playwright__browser_click",
    "mcp__phone__tap",
    "pages.click",
    "double_click",
    "dice_roll",
    "toggle"
  ].map((name): (typeof kinds)[number] => [
    `7.1 equal calls of ${name}, each with an effect`,
    times(5, () => [[name, { on: "+" }, "ok"]]),
    []
  ]),
  ...["get_click", "mcp__logs__list_roll", "content_type", "user_click_history", "browser_snapshot", "next_train"].map(
    (name): (typeof kinds)[number] => [
      `7.1 equal calls of ${name}, which has no such effect`,
      times(3, () => [[name, { of: "a" }, "ok"]]),
      ["3 loop"]
    ]
  ),
  // calculators
  ["7.1 different calculations with equal results", times(12, (n) => [["calculate", { x: `${n}-${n}` }, "0"]]), []],
  ["7.1 the same calculation", times(4, () => [["calculate", { x: "2+2" }, "4"]]), ["3 loop", "4 loop"]],
  // users
  [
    "7.2 the user asks again for the same state, within the turn of the log",
    times(5, () => ["What is it now?", ["get_state", {}, `{"x":1}`]]),
    []
  ],
  [
    "7.2 two users of one conversation ask for the same state",
    times(4, () => [
      "Ada: what is it now?",
      ["get_state", {}, `{"x":1}`],
      "Ben: and now?",
      ["get_state", {}, `{"x":1}`]
    ]),
    []
  ],
  // retries
  [
    "7.1 a Transient failure is tried again at the stated time",
    times(5, (n) => [
      ["get_rates", {}, n < 4 ? "503 Service Unavailable" : "{}", { isError: n < 4, at: nine + n * 60_000 }]
    ]),
    []
  ],
  [
    "7.1 a Transient failure is tried again in a log without times, and the stops are suspects",
    times(4, (n) => [["get_rates", {}, n < 3 ? "429 Too Many Requests" : "{}", { isError: n < 3 }]]),
    ["3 loop?", "4 loop?"]
  ],
  [
    "13.1 a permanent failure that ends makes suspects of its recalls",
    times(4, (n) => [["get_file", { id: 1 }, n < 3 ? "403 Forbidden" : "{}", { isError: n < 3 }]]),
    ["3 loop?", "4 loop?"]
  ],
  // schemas
  [
    "13.1 calls that the schema forbids and the server accepts",
    times(3, (n) => [["search", { limit: "10", page: n }, `["r${n}"]`]]),
    ["1 invalid_arguments?", "2 invalid_arguments?", "3 invalid_arguments?"],
    [tool("search", { limit: { type: "integer" }, page: { type: "integer" } })]
  ],
  [
    "13.1 calls that the schema forbids and the server refuses",
    times(2, (n) => [["search", { limit: "x", page: n }, "Error: limit must be an integer", failed]]),
    ["1 invalid_arguments", "2 invalid_arguments"],
    [tool("search", { limit: { type: "integer" }, page: { type: "integer" } })]
  ],
  // a state that another tool changes
  [
    "7.1 a state that another tool changes",
    times(4, (n) => [
      ["get_cart", {}, `{"items":${n}}`],
      ["get_cart", {}, `{"items":${n}}`],
      ["add_item", { id: n }, "ok"]
    ]),
    []
  ],
  [
    "13.1 a state that a tool with the name of a read and a write changes",
    [
      ["get_cart", {}, "{}"],
      ["get_cart", {}, "{}"],
      ["get_or_create_cart", {}, "ok"],
      ["get_cart", {}, `{"id":1}`]
    ],
    []
  ],
  [
    "13.1 a state that changes by itself",
    [0, 0, 0, 1].map((n): Step => ["get_inbox", {}, `{"unread":${n}}`]),
    ["3 loop?", "4 loop?"]
  ],
  // a read after a write
  [
    "7.1 a read that is repeated after each write of another tool",
    times(5, (n) => [
      ["read_file", { path: "a" }, "a"],
      ["write_file", { path: "b", text: `${n}` }, "ok"]
    ]),
    []
  ],
  [
    "7.1 reads in a cycle without a write",
    times(3, () => [
      ["get_a", {}, "1"],
      ["get_b", {}, "2"]
    ]),
    ["5 loop", "6 loop"]
  ],
  // stops after calls that ran
  [
    "13.1 the same failure with other arguments ends the run, and a later success is a suspect",
    times(7, (n) => [["get_order", { id: `O-${n}` }, n < 6 ? "403 Forbidden" : "{}", { isError: n < 6 }]]),
    ["5 end after same_failure", "6 end after same_failure", "7 after the end?"]
  ]
]

describe("stops in invented traffic", () => {
  for (const [name, steps, stops, tools] of kinds) {
    it(name, () => {
      assert.deepStrictEqual(stopsOf(steps, tools), stops)
    })
  }
})
