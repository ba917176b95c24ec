/** Tests that the lock is sorted and stable, and that other files are refused. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Lock from "#kit/diff/Lock"
import type { Snapshot } from "#kit/diff/Snapshot"

const snapshot: Snapshot = new Map([
  [
    "search_it",
    {
      description: "Searches.",
      parameters: {
        type: ["object", "null"],
        required: ["b", "a"],
        properties: { b: { enum: ["y", "x"] }, a: { type: "string" } }
      },
      annotations: {},
      isGuarded: false
    }
  ],
  [
    "get_it",
    {
      description: "Gets.",
      access: "read",
      parameters: { type: "object" },
      result: { type: "object" },
      annotations: { title: "Get" },
      isGuarded: true
    }
  ]
])

const file = `{
  "toolguard": 1,
  "tools": {
    "get_it": {
      "access": "read",
      "annotations": {
        "title": "Get"
      },
      "description": "Gets.",
      "guarded": true,
      "parameters": {
        "type": "object"
      },
      "result": {
        "type": "object"
      }
    },
    "search_it": {
      "description": "Searches.",
      "parameters": {
        "properties": {
          "a": {
            "type": "string"
          },
          "b": {
            "enum": [
              "y",
              "x"
            ]
          }
        },
        "required": [
          "a",
          "b"
        ],
        "type": [
          "null",
          "object"
        ]
      }
    }
  }
}
`

describe("the lock", () => {
  it("13.4 is sorted, except for the values of an enum", () => assert.strictEqual(Lock.write(snapshot), file))

  it("13.4 does not depend on the order of the tools", () =>
    assert.strictEqual(Lock.write(new Map([...snapshot].toReversed())), file))

  it("13.4 reads back unchanged", () => {
    const read = Result.getOrThrow(Lock.read(file))
    assert.strictEqual(Lock.write(read), file)
    assert.deepStrictEqual(read.get("get_it"), snapshot.get("get_it"))
  })

  it("13.4 is refused with the reason if it is not a lock, and with the position if it is not JSON", () => {
    const refused = (text: string) => Result.getOrThrow(Result.flip(Lock.read(text)))
    assert.strictEqual(refused("{}"), "It is not a lock of toolguard.")
    assert.strictEqual(refused(`{"toolguard": 2, "tools": {}}`), "Its format is 2; this version reads format 1.")
    assert.strictEqual(refused(`{"toolguard": 1}`), "It has no `tools`.")
    assert.strictEqual(refused(`{"toolguard": 1, "tools": {"a": 7}}`), 'Its tool "a" has no `parameters`.')
    assert.match(refused(`{"toolguard": 1,\n "tools": `), /^It is not valid JSON at line 2, column \d+: /)
  })
})
