import * as CheckpointFile from "#domain/journal/CheckpointFile"
import * as JournalRows from "#domain/journal/JournalRows"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { hash } from "node:crypto"

const sha256 = (text: string) => hash("sha256", text, "hex")

const copyOf = (over: Partial<CheckpointFile.Copy> & { readonly bodies?: ReadonlyArray<string> } = {}) => {
  const { bodies = [`{"kind":"begun"}`, `{"kind":"reply","text":"a\\u0000\n\u2028 👩‍👩‍👧‍👦"}`, ""], ...rest } = over
  const rows: Array<JournalRows.Row> = []
  for (const body of bodies) rows.push(JournalRows.next(sha256, rows.at(-1), body))
  const last = rows.at(-1)
  return {
    tenant: "default",
    run: "../../etc/passwd",
    format: JournalRows.format,
    rows,
    written: rows.length,
    lastSum: last?.sum ?? "",
    end: undefined,
    createdAt: 1_000,
    updatedAt: 2_000,
    ...rest
  } satisfies CheckpointFile.Copy
}

const text = CheckpointFile.write(sha256, copyOf())
const resultOf = (text: string): string => {
  const read = CheckpointFile.read(sha256, text)
  return Result.isFailure(read) ? read.failure[0] : "read"
}

/** Returns any lines as the text of a file with a valid checksum. */
const summed = (lines: ReadonlyArray<unknown>): string => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
  return `${text}${JSON.stringify({ sha256: sha256(text) })}\n`
}
const lines = text
  .split("\n")
  .slice(0, -2)
  .map((line): any => JSON.parse(line))

const damaged = "It is damaged: it was truncated or changed."

describe("a run as a file", () => {
  it.prop(
    "12.1 is read as it was written, whatever texts it contains",
    [Schema.String, Schema.String, Schema.Array(Schema.String), Schema.UndefinedOr(Schema.String)],
    ([tenant, run, bodies, end]) => {
      const copy = copyOf({ tenant, run, bodies, end })
      assert.deepStrictEqual(CheckpointFile.read(sha256, CheckpointFile.write(sha256, copy)), Result.succeed(copy))
    }
  )

  it.prop("8.3 is read with its principal", [Schema.String], ([principal]) => {
    const copy = copyOf({ principal })
    assert.deepStrictEqual(CheckpointFile.read(sha256, CheckpointFile.write(sha256, copy)), Result.succeed(copy))
  })

  it("8.3, 12.2 has version 2 if it has a principal, so that a reader without principals refuses it", () => {
    const head = (over: Partial<CheckpointFile.Copy>): unknown =>
      JSON.parse(CheckpointFile.write(sha256, copyOf(over)).split("\n")[0]!).version
    assert.deepStrictEqual([head({}), head({ principal: "ana" })], [1, 2])
    const [first, ...rest] = lines
    assert.strictEqual(
      resultOf(summed([{ ...first, principal: "ana" }, ...rest])),
      "It has version 1, but this version of toolguard reads version 2."
    )
  })

  it("12.2 is refused if truncated anywhere", () => {
    for (let length = 0; length < text.length; length++) {
      assert.include(
        [damaged, "It was not written by toolguard runs export."],
        resultOf(text.slice(0, length)),
        String(length)
      )
    }
    assert.strictEqual(resultOf(text), "read")
  })

  it("12.2 is refused with any character removed, changed or doubled", () => {
    for (let at = 0; at < text.length; at++) {
      for (const instead of ["", "~", `${text[at]}${text[at]}`]) {
        assert.notStrictEqual(
          resultOf(`${text.slice(0, at)}${instead}${text.slice(at + 1)}`),
          "read",
          `${at} ${instead}`
        )
      }
    }
  })

  it("12.2 is refused with missing, changed or surplus rows, even if its checksum is right", () => {
    const [head, first, second, third] = lines
    for (const wrong of [
      [head, first, second],
      [head, second, third],
      [head, first, third, second],
      [head, first, second, third, third],
      [head, first, { ...second, body: "another" }, third],
      [{ ...head, written: 2 }, first, second, third],
      [{ ...head, lastSum: "0" }, first, second, third],
      [head, first, second, 3],
      [head]
    ])
      assert.strictEqual(resultOf(summed(wrong)), damaged)
    assert.strictEqual(resultOf(summed(lines)), "read")
  })

  it("12.2 is refused with a remedy if it has another version or format", () => {
    const [head, ...rows] = lines
    for (const [change, expected] of [
      [
        { version: 0 },
        [
          "It has version 0, but this version of toolguard reads version 1.",
          "Finish the run with the version that started it."
        ]
      ],
      [
        { version: 2 },
        ["It has version 2, but this version of toolguard reads version 1.", "Import it with a newer version."]
      ],
      [
        { format: 0 },
        [
          "It has format 0, but this version of toolguard reads format 1.",
          "Finish the run with the version that started it."
        ]
      ],
      [
        { format: 2 },
        ["It has format 2, but this version of toolguard reads format 1.", "Import it with a newer version."]
      ]
    ] as const) {
      assert.deepStrictEqual(
        CheckpointFile.read(sha256, summed([{ ...head, ...change }, ...rows])),
        Result.fail(expected) as never // the cast is needed because a failure has no run
      )
    }
  })

  it("12.2 is refused if it is not an exported run", () => {
    for (const other of [
      "",
      "\n",
      "{}",
      "null",
      "SQLite format 3\u0000",
      "a,b\n1,2\n",
      summed([{ kind: "another" }])
    ]) {
      assert.strictEqual(resultOf(other), "It was not written by toolguard runs export.")
    }
  })
})
