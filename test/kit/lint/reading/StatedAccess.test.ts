/** Tests the access that descriptions in English and Chinese state for their tools. */
import * as StatedAccess from "#kit/lint/reading/StatedAccess"
import { assert, describe, it } from "@effect/vitest"

const statements: Readonly<Record<string, ReadonlyArray<string>>> = {
  "certain read": [
    "Read-only. Lists orders.",
    "Lists orders (read-only).",
    "Read only tool that lists orders.",
    "Gets one order. This is a read-only operation.",
    "This tool is read-only and does not modify data.",
    "Lists orders. Does not change anything.",
    "Finds orders. It never writes or changes data.",
    "Runs a query without modifying any data.",
    "Returns a list. The tool does not create, update or delete anything.",
    "Deletes nothing; lists what would be deleted.",
    "Creates a preview. Changes nothing.",
    "Compares two versions. No side effects.",
    "Shows what a deletion would remove; nothing is changed.",
    "Validates a plan. Makes no changes.",
    "Validates a plan and does not make any changes.",
    "查询工单。只读,不修改任何数据。",
    "查询工单。不会更改任何内容。",
    "计算总和,无副作用。"
  ],
  "certain write": [
    "This tool modifies the order.",
    "Manages the profile. It will overwrite the old one.",
    "Formats a file. Overwrites the original.",
    "Saves a note. Writes to disk.",
    "Refunds one order.",
    "This function sends a message to a contact.",
    "Order status. Writes.",
    "Not read-only: the view is refreshed.",
    "订单工具。会修改订单状态。",
    "更新视图。非只读工具。"
  ],
  "certain destructive": [
    "Deletes the rows.",
    "Manages rows. Deletes the rows that match.",
    "Executes a cleanup. It permanently deletes old rows.",
    "Ends a contract. This cannot be undone.",
    "Resets the account. The action is irreversible.",
    "工单操作。该工具会删除匹配的工单。",
    "重置账户,不可恢复。"
  ],
  "likely write": [
    "Creates an order.",
    "Updates the order; does not change any data of other orders.",
    "Changes the address of a customer.",
    "This changes the state of the order.",
    "创建工单。"
  ],
  "likely destructive": ["Removes a user from a group.", "Drop a table.", "删除工单。"],
  nothing: [
    "Account sync. It makes changes.",
    "Lists orders.",
    "Read-only unless `apply` is set.",
    "With `dry_run`, it does not change anything.",
    "Opens the file in read-only mode.",
    "Retrieves read-only data.",
    "Does not modify the original file.",
    "It is a non-destructive operation.",
    "Updates on the weather.",
    "Changes in the schema since a version.",
    "Posts by an author.",
    "Set of tools for orders.",
    "Makes changes to the plan visible.",
    "Sends a request to the API.",
    "Finds tickets. Delete them with delete_ticket.",
    "This endpoint creates a candlestick chart.",
    "查询工单。",
    "生成副本,不修改原文件。",
    "除非设置 apply,否则只读。",
    ""
  ]
}

/** Statements that a tool changes nothing, with a contrast that restricts them or, under "certain read", does not. */
const contrasts: Readonly<Record<string, ReadonlyArray<string>>> = {
  "certain read": [
    "Finds orders, but changes nothing.",
    "Does not modify any data, but may be slow.",
    "Read-only, but needs an API key.",
    "Lists files. It does not change anything, however it returns hidden ones too.",
    "Read-only. Use delete_order instead to delete one.",
    "Read-only, but returns the list of changes.",
    "Makes no changes, though it shows what would be updated.",
    "不修改任何数据,但可能较慢。",
    "只读,但返回更新的记录。"
  ],
  write: [
    "Nothing is deleted, but the record is moved.",
    "Does not delete anything, but archives the record.",
    "No data is deleted; instead it is marked as inactive and moved to the archive.",
    "Does not modify any data. However, a copy is saved to the disk.",
    "Does not change anything. It sends a mail to the owner, however.",
    "Deletes nothing, only moves the files to the bin, then renames them.",
    "Makes no changes to the order, but it sends a notification.",
    "Read-only at first, then updates the row.",
    "Nothing is deleted. Instead, moves the record to the archive.",
    "Does not alter the data but a new row is inserted.",
    "No records are removed, although the owner is changed.",
    "Without side effects on the order, yet the address is updated.",
    "It never deletes anything, whereas the status is set to closed.",
    "Does not delete data, but the invoice is paid.",
    "Nothing is changed, but the message is sent.",
    "不会删除任何内容,但会移动记录。",
    "不修改任何数据,不过会发送通知。",
    "只读取订单,然后更新状态。",
    "仅查询,但记录会被归档。",
    "不修改任何内容。但是会创建副本。",
    "不改变数据,而是新增一条记录。"
  ],
  destructive: [
    "Does not change anything, but the old rows are deleted.",
    "Reads the file without side effects, then deletes it.",
    "Nothing is changed. However, the cache is purged.",
    "不修改任何数据,但缓存会被清空。",
    "只读取文件,随后删除它。"
  ]
}

const stated = (description: string): string => {
  const found = StatedAccess.of(description)
  return found === undefined ? "nothing" : `${found.isCertain ? "certain" : "likely"} ${found.access}`
}

describe("StatedAccess", () => {
  for (const [expected, descriptions] of Object.entries(contrasts)) {
    for (const description of descriptions) {
      it(`14 "${description}" is read as ${expected}`, () => {
        const found = stated(description)
        assert.strictEqual(expected === "certain read" ? found : found.replace(/^\w+ /, ""), expected)
      })
    }
  }

  for (const [expected, descriptions] of Object.entries(statements)) {
    it(`14 finds ${expected === "nothing" ? "no statement" : `a ${expected}`} in descriptions that state it`, () => {
      assert.deepStrictEqual(
        descriptions.map((description) => [description, stated(description)]),
        descriptions.map((description) => [description, expected])
      )
    })
  }
})
