/** Tests which sentences say that the action of a tool was not done, and which only resemble them. */
import { assert, describe, it } from "@effect/vitest"
import { deniesAction, failedHeadIn } from "#domain/answers/statements/ActionDenial"

type Sentence = readonly [tool: string, message: string]

const message = { isDone: false, isEntity: false }
/** A message next to a statement that the action was done. */
const afterSuccess = { isDone: true, isEntity: false }
/** A text of an entity, which may contain the words of a person. */
const ofEntity = { isDone: false, isEntity: true }

const tables: ReadonlyArray<readonly [string, typeof message, boolean, ReadonlyArray<Sentence>]> = [
  [
    "says that nothing was done",
    message,
    true,
    [
      ["cancel_order", "NOTHING WAS DELETED"],
      ["cancel_order", "None could be removed"],
      ["cancel_order", "Nothing done"],
      ["cancel_order", "nothing has been changed"],
      ["cancel_order", "Nothing happened, because the user asked for a draft"],
      ["cancel_order", "The request had no effect"],
      ["cancel_order", "This was a no-op"],
      ["cancel_order", "Es wurde nichts geändert"]
    ]
  ],
  [
    "does not say that nothing was done",
    message,
    false,
    [
      ["cancel_order", "Nothing new here"],
      ["cancel_order", "If nothing was changed, the invoice remains"],
      ["cancel_order", "The customer says nothing was delivered"],
      ["cancel_order", `${"x".repeat(2_000)} nichts wurde geändert`]
    ]
  ],
  [
    "says that no thing was handled",
    message,
    true,
    [
      ["refund_order", "No refund was issued"],
      ["cancel_order", "No order was cancelled"],
      ["update_rows", "0 rows were updated"],
      ["cancel_order", "None of the orders could be cancelled"],
      ["send_reminder", "No reminder was sent"],
      ["cancel_order", "No changes were applied"]
    ]
  ],
  [
    "does not say that no thing was handled",
    message,
    false,
    [
      ["update_rows", "10 rows were updated"],
      ["send_invoice", "No reminder was sent"],
      ["send_invoice", "No SMS was sent"],
      ["create_shipment", "No tracking was created"],
      ["cancel_order", "The customer says no order was cancelled"],
      ["cancel_order", "No order cancels itself"],
      ["cancel_order", "No coffee was processed"],
      ["cancel_order", "No order exists"]
    ]
  ],
  [
    "denies the verb",
    message,
    true,
    [
      ["cancel_order", "The order was not cancelled when the truck had left"],
      ["cancel_order", "The reminder queue of the shop in Berlin was not cancelled"],
      ["overwrite_file", "The file was not overwritten"],
      ["send_sms", "The message was not sent"],
      ["cancel_order", "The order was not cancelled by mail"],
      ["cancel_order", "We could not cancel flights"],
      ["cancel_order", "The order wasn't cancelled"],
      ["cancel_order", "Unable to cancel"],
      ["cancel_order", "The cancellation was not yet approved"],
      ["cancel_order", "Could not be completed"],
      ["cancel_order", "The change was not saved"],
      ["cancel_order", "The order cannot be cancelled"]
    ]
  ],
  [
    "does not deny the verb",
    message,
    false,
    [
      ["cancel_order", "If the order was not cancelled it arrives today"],
      ["cancel_order", "The parcel did not at any time in May get cancelled"],
      ["send_invoice", "The notification was not sent"],
      ["cancel_order", "The payment was not refunded"],
      ["cancel_order", "The cancellation is not limited"],
      ["cancel_order", "The cancellation is not expensive"],
      ["cancel_order", "The coffee was not processed"],
      ["cancel_order", "The order can not be cancelled again"],
      ["cancel_order", "The order was cancelled"]
    ]
  ],
  [
    "says that the action failed",
    message,
    true,
    [
      ["cancel_order", "Cancellation failed"],
      ["refund_order", "Refund rejected"],
      ["refund_order", "Refund failed when charging"],
      ["refund_order", "The second refund of today failed"],
      ["cancel_order", "The operation was aborted"],
      ["cancel_order", "Request denied"]
    ]
  ],
  [
    "does not say that the action failed",
    message,
    false,
    [
      ["cancel_order", "Payment failed"],
      ["refund_order", "If the refund failed"],
      ["refund_order", "Refund failed to start"],
      ["refund_order", "Failed refund"],
      ["refund_order", "Shipment failed before refund"],
      ["refund_order", "The second refund of this order failed"],
      ["reject_order", "Rejection DECLINED"],
      ["cancel_order", "The requester declined"],
      ["cancel_order", "Cooperation failed"]
    ]
  ],
  [
    "contradicts a report of success",
    afterSuccess,
    true,
    [
      ["cancel_order", "The order was not cancelled"],
      ["cancel_order", "Cancellation failed"]
    ]
  ],
  [
    "says what can be done after the action",
    afterSuccess,
    false,
    [
      ["cancel_order", "The order can not be cancelled"],
      ["cancel_order", "A cancellation is impossible"]
    ]
  ],
  [
    "denies the action, in a text of an entity",
    ofEntity,
    true,
    [
      ["cancel_order", "The order was not cancelled yesterday"],
      ["cancel_order", "We could not cancel the order"],
      ["cancel_order", "We could not cancel this order"],
      ["cancel_subscription", "We could not cancel a subscription"],
      ["cancel_order", "We could not cancel it today"],
      ["cancel_order", "We could not cancel for legal reasons"],
      ["cancel_order", "We could not cancel"],
      ["cancel", "We could not cancel flights"]
    ]
  ],
  [
    "is about the action of a person, in a text of an entity",
    ofEntity,
    false,
    [
      ["cancel_order", "The guest could not cancel the flight"],
      ["cancel_order", "The guest could not cancel appointments"],
      ["cancel_order", "The guest could not cancel the visa"],
      ["cancel_order", "The order of the guest could not cancel a flight"]
    ]
  ]
]

describe("deniesAction", () => {
  for (const [name, context, expected, sentences] of tables)
    for (const [tool, sentence] of sentences)
      it(`3.3 ${tool}: "${sentence.slice(-60)}" ${name}`, () =>
        assert.strictEqual(deniesAction(sentence, tool, context), expected))
})

describe("failedHeadIn", () => {
  const longest = `Refund of ${"x".repeat(43)} failed`
  for (const [tool, head] of [
    ["refund_order", "Refund failed: card may be expired"],
    ["refund_order", "Refund failed : card expired"],
    ["refund_order", "Refund not issued: card expired"],
    ["refund_order", "Could not refund the flight: it has left"],
    ["refund_order", "The refund of this order failed: card expired"],
    ["create_order", "Failed: no stock"],
    ["create_order", "失败的 failed\uFF1A no stock"],
    ["refund_order", `${longest}: card expired`],
    ["refund_order", `Refund failed: ${"x".repeat(1_985)}`]
  ] as const)
    it(`3.3 ${tool}: "${head.slice(0, 60)}" begins with the failure of the action`, () =>
      assert.strictEqual(failedHeadIn(` ${head}\n`, tool), head))

  for (const [tool, text] of [
    ["refund_order", "Refund failed."],
    ["refund_order", "Refund failed:card"],
    ["refund_order", "Refund may have failed: card expired"],
    ["refund_order", "Refund not issued if late: card expired"],
    ["refund_order", "Refund failed yesterday: card expired"],
    ["refund_order", "The refund was not issued by us: card expired"],
    ["cancel_order", "Payment failed: card expired"],
    ["reject_order", "Rejected: over budget"],
    ["cancel_order", "Not urgent: call back"],
    ["refund_order", `${longest.replace("x", "xx")}: card expired`],
    ["refund_order", `Refund failed: ${"x".repeat(1_986)}`],
    ["refund_order", ": Refund failed"]
  ] as const)
    it(`3.3 ${tool}: "${text.slice(0, 60)}" does not begin with the failure of the action`, () =>
      assert.isUndefined(failedHeadIn(text, tool)))
})
