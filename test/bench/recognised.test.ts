/** Tests how the benchmark counts failures that are recognised without an error flag, and the vectors of such answers. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { soleFailureIn } from "#domain/answers/texts/SoleFailure"
import { checksOf } from "#src/mcp/remote/ResultCheck"
import { bodyOf, isRecognised, recognitionOf } from "./recognised.ts"

describe("answers without an error flag", () => {
  it("3.4 the benchmark counts failures as texts and as bodies, and texts that only look like failures", () => {
    const failures = [
      { message: "Error: connection refused", code: "ECONNREFUSED" },
      { message: "It is green." },
      { message: '{"error":"not found"}', status: 404 }
    ]
    const looks = [{ message: "0 errors, 0 warnings" }, { message: "Error: connection refused" }]
    assert.deepStrictEqual(recognitionOf(failures, looks), {
      asText: { right: 2, total: 3 },
      asBody: { right: 1, total: 1 },
      looks: { right: 1, total: 2 }
    })
    assert.strictEqual(bodyOf({ message: "gone", status: 410 }), '{"status":410,"message":"gone"}')
    assert.isUndefined(bodyOf({ message: "gone" }))
  })

  it("3.4 of the vectors, one result is called a failure, and 66 of 109 failures are recognised", () => {
    const rows: ReadonlyArray<{ readonly tool: string; readonly answer: unknown; readonly expected: string }> =
      readFileSync("test/vectors/unflagged.jsonl", "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    const called = rows.filter(({ answer, tool }) =>
      isRecognised(typeof answer === "string" ? answer : JSON.stringify(answer), tool)
    )
    const failures = (all: typeof rows) => all.filter(({ expected }) => expected === "failure").length
    assert.deepStrictEqual([failures(called), failures(rows), rows.length], [66, 109, 249])
    assert.deepStrictEqual(
      called.flatMap(({ answer, expected }) => (expected === "failure" ? [] : [answer])),
      ["Nothing to commit, working tree clean"]
    )
  })

  it("3.4 a program's line that ends with a message of the system, and the last line of a trace, are failures", () => {
    for (const answer of [
      "gzip: stdout: No space left on device",
      "grep: 日志.txt: 没有那个文件或目录",
      "cat: 쓰기 오류: 장치에 남은 공간이 없음",
      "df: /mnt/dados: Arquivo ou diretório inexistente",
      "zipfile.BadZipFile: File is not a zip file"
    ])
      assert.isTrue(isRecognised(answer), answer)
    for (const answer of [
      "Note: the reason was: No space left on device, as the log says",
      "zipfile.ZipFile: Class with methods to open, read, write, close, list zip files.",
      "bool ExitOnError = false {product}\nbool CrashOnError = false {product}\nccstr ErrorFile = {product}"
    ])
      assert.isFalse(isRecognised(answer), answer)
  })

  it("3.4 what a write returns is no failure without a mark, because it can be what was made", () => {
    for (const answer of [
      "ORDER_ACCEPTED",
      "PENDING_REVIEW",
      "bob@x.org is no longer subscribed.",
      "Your order has been cancelled. You will not be charged.",
      "Photo taken. Flash was not used.",
      "450 EUR transferred to Anna"
    ]) {
      const context = { tool: "do_it", arguments: {}, previous: [], nowMillis: 0 }
      assert.strictEqual(checksOf("write").hiddenFailure(answer, context)._tag, "Ok", answer)
    }
  })

  it("3.4 a warning, a number, a finished edit and a state that already holds are results, and so is what a shell prints", () => {
    for (const [answer, tool] of [
      ["Warnung: namespace 'a' is not available and has been replaced", "request"],
      ["/lib/core.py:78: UserWarning: Found version mismatch between a and b\n  warnings.warn(message)", "request"],
      ["461.0", "calculate"],
      ["The file /a.c has been edited. Here is the result:\n 9\tif (!ok) return error;", "edit_file"],
      ["Roaming was already enabled", "enable_roaming"],
      ["error (noun): a mistake. Synonyms: fault, failure.", "define"],
      ["[Line 3 is 80KB, exceeds 50KB limit. Use offset=4 to continue]", "read"],
      ["make: *** No rule to make target 'x'.  Stop.", "bash_output"]
    ] as const) {
      assert.isFalse(soleFailureIn([answer], tool, "read") !== undefined, answer)
    }
  })

  it("3.4 the level of a log, the mark of make, a status line and the error in a namespace are failures", () => {
    for (const answer of [
      "[2024-12-12 13:25:11,083: ERROR/MainProcess] Received unregistered task of type 'a.b'.",
      '2025-09-16T20:01:46+01:00 {"level":"error","message":"history failed","app":"x"}',
      "make[1]: *** No rule to make target 'x'.  Stop.",
      "GET https://api.example/tickets/333: 404",
      "< HTTP/1.0 405 METHOD NOT ALLOWED\n< Allow: GET",
      "Chat::Errors::MissingScope: missing_scope",
      '{"code":"cannot_view","message":"Sorry, you cannot list resources.","data":{"status":401}}'
    ]) {
      assert.isTrue(isRecognised(answer), answer)
    }
  })
})
