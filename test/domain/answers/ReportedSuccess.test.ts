/** Tests which words report that a tool did its work. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import {
  denies,
  isAffirmed,
  isDoneIn,
  isPurpose,
  namesOtherThing,
  namesSuccess,
  reportOf,
  reportsSuccess
} from "#domain/answers/ReportedSuccess"
import { clausesOf, deniesPossibly, failsOutright } from "#domain/answers/Denial"

describe("reportOf", () => {
  for (const [given, expected] of [
    [
      ["Order created", "create_order"],
      ["done", true]
    ],
    [
      ["Order created", "get"],
      ["done", true]
    ],
    [
      ["Account locked", "lock_account"],
      ["done", true]
    ],
    [
      ["Account locked", "get_account"],
      ["nothing", false]
    ],
    [
      ["添加成功", "x"],
      ["done", true]
    ],
    [
      ["Order not created", "create_order"],
      ["nothing", false]
    ],
    [
      ["Note saved. Please refresh", "save_note"],
      ["done", true]
    ],
    [
      ["Please refresh. Note saved", "save_note"],
      ["nothing", false]
    ],
    [
      ["Note saved. It failed", "save_note"],
      ["nothing", false]
    ],
    [
      ["It failed. Note saved", "save_note"],
      ["nothing", false]
    ],
    [
      ["Connection closed", "close_ticket"],
      ["other", false]
    ],
    [
      ["Ticket closed", "close_ticket"],
      ["done", true]
    ],
    [
      ["Closed", "close_ticket"],
      ["done", true]
    ],
    [
      ["The ticket closed", "close_ticket"],
      ["done", true]
    ],
    [
      ["Note saved. Connection closed", "close_ticket"],
      ["other", false]
    ],
    [
      ["0 rows updated", "update_rows"],
      ["other", false]
    ],
    [
      ["3 rows updated", "update_rows"],
      ["done", true]
    ],
    [
      ["Zero rows updated", "update_rows"],
      ["other", false]
    ],
    [
      ["Used by a user created today", "x"],
      ["nothing", false]
    ],
    [
      ["User created with id 5", "x"],
      ["done", true]
    ],
    [
      ["User created 5", "x"],
      ["done", true]
    ],
    [
      ["User created successfully", "x"],
      ["done", true]
    ],
    [
      ["The created user", "x"],
      ["nothing", false]
    ],
    [
      ["Created", "x"],
      ["done", true]
    ],
    [
      ["Sold out", "sell_item"],
      ["other", false]
    ],
    [
      ["Item sold", "sell_item"],
      ["done", true]
    ],
    [
      ["Rejected by validation", "reject_po"],
      ["other", false]
    ],
    [
      ["PO rejected", "reject_po"],
      ["done", true]
    ],
    [
      ["Marked invalid", "mark_invalid"],
      ["done", true]
    ],
    [
      ["Marked invalid", "x"],
      ["nothing", false]
    ],
    [
      ["eliminado", "delete_user"],
      ["done", true]
    ],
    [
      ["eliminado", "x"],
      ["nothing", false]
    ],
    [
      ["erfolgreich abgelehnt", "x"],
      ["nothing", false]
    ],
    [
      ["success, but blocked", "x"],
      ["nothing", false]
    ],
    [
      ["Saved. It is blocked", "save_note"],
      ["nothing", false]
    ],
    [
      ["Saved. It is locked", "lock_note"],
      ["done", true]
    ],
    [
      ["Saved. It must be checked", "save_note"],
      ["done", true]
    ],
    [
      ["Must be checked. Saved", "save_note"],
      ["nothing", false]
    ],
    [
      ["Saved. Nicht gefunden", "save_note"],
      ["nothing", false]
    ],
    [
      ["Nicht gefunden. Saved", "save_note"],
      ["nothing", false]
    ],
    [
      ["Saved bitte", "save_note"],
      ["nothing", false]
    ],
    [
      ["Bitte. Saved", "save_note"],
      ["nothing", false]
    ],
    [
      ["Saved. Bitte", "save_note"],
      ["done", true]
    ],
    [
      ["Order blocked successfully", "x"],
      ["nothing", false]
    ],
    [
      ["success error", "x"],
      ["nothing", false]
    ],
    [
      ["hello", "x"],
      ["nothing", false]
    ],
    [
      ["", "x"],
      ["nothing", false]
    ],
    [
      ["Payment cancelled", "cancel_order"],
      ["done", true]
    ],
    [
      ["Order cancelled", "cancel_order"],
      ["done", true]
    ],
    [
      ["Order aborted", "cancel_order"],
      ["done", true]
    ],
    [
      ["Flight aborted", "cancel_order"],
      ["other", false]
    ],
    [
      ["Aborted", "cancel_order"],
      ["done", true]
    ],
    [
      ["It was aborted", "cancel_order"],
      ["done", true]
    ],
    [
      ["Session terminated", "terminate_session"],
      ["done", true]
    ],
    [
      ["Session terminated", "cancel_order"],
      ["other", false]
    ],
    [
      ["Cancelled due to rain", "cancel_order"],
      ["other", false]
    ],
    [
      ["X created", "create_x"],
      ["done", true]
    ]
  ] as ReadonlyArray<readonly [readonly [string, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [message, tool] = given
      assert.deepStrictEqual(asJson([reportOf(message, tool), reportsSuccess(message, tool)]), expected)
    })
})

describe("isDoneIn", () => {
  for (const [given, expected] of [
    [["Order created", "create_order"], true],
    [["hello", "create_order"], false]
  ] as ReadonlyArray<readonly [readonly [string, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [clause, tool] = given
      assert.deepStrictEqual(asJson(isDoneIn(clause, tool)), expected)
    })
})

describe("denies", () => {
  for (const [given, expected] of [
    [["not now"], true],
    [["please"], true],
    [["无法"], true],
    [["bitte"], true],
    [["请"], true],
    [["hello"], false],
    [["can't"], true]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [message] = given
      assert.deepStrictEqual(asJson(denies(message)), expected)
    })
})

describe("namesSuccess", () => {
  for (const [given, expected] of [
    [[["order", "created"], "create_order"], true],
    [[["order", "not", "created"], "create_order"], false],
    [[["created", "order"], "x"], false],
    [[["po", "rejected"], "reject_po"], true],
    [[["no", "show", "fee"], "charge_no_show_fee"], true],
    [[["duplicate", "removed"], "remove_duplicate"], true],
    [[["failed", "orders"], "get_failed_orders"], false],
    [[["marked", "failed"], "mark_failed"], true],
    [[["usd"], "x"], false],
    [[[], "x"], true]
  ] as ReadonlyArray<readonly [readonly [ReadonlyArray<string>, string], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [words, tool] = given
      assert.deepStrictEqual(asJson(namesSuccess(words, tool)), expected)
    })
})

describe("isPurpose", () => {
  for (const [given, expected] of [
    [
      [["rejected"], "reject_po"],
      [true, false]
    ],
    [
      [["invalid"], "mark_invalid"],
      [true, false]
    ],
    [
      [["failed"], "mark_failed"],
      [true, false]
    ],
    [
      [["rejected"], "create_po"],
      [false, false]
    ],
    [
      [["connection", "closed"], "close_ticket"],
      [false, true]
    ],
    [
      [["connection", "closed"], "close_connection"],
      [true, false]
    ],
    [
      [["flight", "aborted"], "cancel_order"],
      [false, true]
    ]
  ] as ReadonlyArray<readonly [readonly [ReadonlyArray<string>, string], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [words, tool] = given
      assert.deepStrictEqual(asJson([isPurpose(words, tool), namesOtherThing(words, tool)]), expected)
    })
})

describe("isAffirmed", () => {
  for (const [given, expected] of [
    [[{ ok: true }], true],
    [[{ ok: false }], false],
    [[{ status: "done" }], true],
    [[{ status: 0 }], false],
    [[{ status: "0" }], false],
    [[{ status: 200 }], true],
    [[{ code: 0 }], true],
    [[{ message: "ok" }], false],
    [[{ msg: "ok" }], false],
    [[{ successful: "true" }], true],
    [[{ successful: "yes" }], false],
    [[{ wasSuccessful: true }], true],
    [[{ total: true }], false],
    [[{}], false]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(isAffirmed(answer as never)), expected)
    })
})

describe("clausesOf", () => {
  for (const [given, expected] of [
    [["a, b; c: d! e? (f) g. h 1.5 i – j"], ["a", "b", "c", "d", "e", "f", "g", "h 1.5 i", "j"]],
    [["no errors, x"], ["x"]],
    [[""], []],
    [["。a"], ["a"]],
    [
      ["x".repeat(2_000) + ", y"],
      [
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      ]
    ]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [message] = given
      assert.deepStrictEqual(asJson(clausesOf(message)), expected)
    })
})

describe("failsOutright", () => {
  for (const [given, expected] of [
    [["it failed"], [true, true]],
    [["550 5.1.1 User unknown"], [true, true]],
    [["it is locked by"], [false, true]],
    [["already there"], [false, true]],
    [["hello"], [false, false]],
    [["the failed invoice"], [false, false]]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [clause] = given
      assert.deepStrictEqual(asJson([failsOutright(clause), deniesPossibly(clause)]), expected)
    })
})
